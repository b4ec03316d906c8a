// bench_kernels exact|random N: N×N×N by every day's kernel, one sample each, as a JSON array on
// stdout. How fast the emulated device runs them; whether they are right is gated elsewhere.
#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "bench/candidate.h"
#include "gates/inputs.h"
#include "harness/cuda_error.h"
#include "harness/device_buffer.h"
#include "harness/emulator_counters.h"

// Days 01 and 02 have no variants: one kernel each, B row-major and D of floats.
namespace day01 {
void launch_gemm(const tcd::GemmArguments<float>& gemm);
}
namespace day02 {
void launch_gemm(const tcd::GemmArguments<float>& gemm);
}

namespace {

using tcd::harness::DeviceBuffer;

// The matrices, with a D of either type. A square B has the same size in either order.
class Matrices {
 public:
  Matrices(int n, bool exact)
      : a_(values(n, exact, 1)),
        b_(values(n, exact, 2)),
        sums_(static_cast<size_t>(n) * static_cast<size_t>(n)),
        halves_(static_cast<size_t>(n) * static_cast<size_t>(n)),
        bias_(std::vector<float>(static_cast<size_t>(n), 1.0f)),
        n_(n) {}

  tcd::GemmArguments<float> with_sums(int m) { return of(m, 1, sums_.data()); }
  tcd::GemmArguments<__half> with_halves(int m, int group) {
    return of(m, group, halves_.as<__half>());
  }

 private:
  template <class Output>
  tcd::GemmArguments<Output> of(int m, int group, Output* d) {
    return {m, m, n_, a_.as<__half>(), n_, b_.as<__half>(), n_, d, n_, bias_.data(), group};
  }

  static std::vector<uint16_t> values(int n, bool exact, uint64_t seed) {
    const auto layout = tcd::row_major(n, n);
    return (exact ? tcd::quarters(layout, seed) : tcd::random_for_timing(layout, seed)).bits;
  }
  DeviceBuffer<uint16_t> a_, b_;
  DeviceBuffer<float> sums_;
  DeviceBuffer<uint16_t> halves_;
  DeviceBuffer<float> bias_;
  int n_;
};

nlohmann::json sample(const std::string& name, int n, const std::function<void(int)>& launch) {
  const auto run = [&](int m) {
    launch(m);
    tcd::harness::check(cudaDeviceSynchronize(), name.c_str());
  };
  run(256);  // loads and decodes
  tcd::harness::reset_counters();
  const auto start = std::chrono::steady_clock::now();
  run(n);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  const auto counted = tcd::harness::read_counters();
  if (counted.empty()) {
    throw std::runtime_error(
        "this is not the emulated device: LD_LIBRARY_PATH leads to another libcudart");
  }
  return {{"name", name},
          {"seconds", time.count()},
          {"warp_instructions", counted.at("warp_instructions")},
          {"check_reports", counted.at("check_reports")}};
}

nlohmann::json samples(int n, bool exact) {
  Matrices matrices(n, exact);
  nlohmann::json all = nlohmann::json::array();
  all.push_back(sample("01", n, [&](int m) { day01::launch_gemm(matrices.with_sums(m)); }));
  all.push_back(sample("02", n, [&](int m) { day02::launch_gemm(matrices.with_sums(m)); }));
  std::string last;
  for (const tcd::bench::Candidate& one : tcd::bench::day_candidates({}, false)) {
    const std::string day = one.name.substr(0, 2);
    if (day == last) continue;  // a day's first variant stands for it
    last = day;
    all.push_back(
        sample(one.name, n, [&](int m) { one.launch(matrices.with_halves(m, one.group)); }));
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc == 3 ? argv[1] : "";
  const int n = argc == 3 ? std::atoi(argv[2]) : 0;
  if ((what != "exact" && what != "random") || n < 256 || n % 256 != 0 || n > 16384) {
    std::fprintf(stderr, "usage: bench_kernels exact|random N, a multiple of 256\n");
    return 2;
  }
  try {
    std::printf("%s\n", samples(n, what == "exact").dump().c_str());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
