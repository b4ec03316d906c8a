#include <cuda_runtime.h>

#include <bit>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "day.h"
#include "gates/half.h"
#include "gates/inputs.h"
#include "harness/cuda_error.h"
#include "harness/device_buffer.h"
#include "harness/emulator_counters.h"
#include "samples.h"

namespace bench {
namespace {

uint64_t peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::strtoull(line.c_str() + 6, nullptr, 10) * 1024;
  }
  return 0;
}

// Elements that are not their sum, which is exact, rounded once. A is row-major, B column-major.
int wrong_of_256(const tcd::HalfMatrix& a, const tcd::HalfMatrix& b, const std::vector<uint16_t>& d,
                 size_t n) {
  int wrong = 0;
  for (uint64_t i = 0; i < 256; ++i) {
    const size_t row = tcd::random_bits(3, i) % n, column = tcd::random_bits(4, i) % n;
    float sum = 0;
    for (size_t k = 0; k < n; ++k) {
      sum += tcd::half_to_float(a.bits[row * n + k]) * tcd::half_to_float(b.bits[column * n + k]);
    }
    wrong += d[row * n + column] != tcd::float_to_half(sum);
  }
  return wrong;
}

}  // namespace

nlohmann::json gemm_sample(int n, bool exact) {
  const auto a_layout = tcd::row_major(n, n), b_layout = tcd::column_major(n, n);
  const tcd::HalfMatrix a =
      exact ? tcd::quarters(a_layout, 1) : tcd::random_for_timing(a_layout, 1);
  const tcd::HalfMatrix b =
      exact ? tcd::quarters(b_layout, 2) : tcd::random_for_timing(b_layout, 2);
  const auto size = static_cast<size_t>(n);
  tcd::harness::DeviceBuffer<uint16_t> device_a(a.bits), device_b(b.bits), device_d(size * size);
  const tcd::GemmVariant variant = day::variants().front();
  const auto launch = [&](int m) {
    variant.launch({m, m, n, device_a.as<__half>(), n, device_b.as<__half>(), n,
                    device_d.as<__half>(), n, nullptr, 1});
    tcd::harness::check(cudaDeviceSynchronize(), "the kernel");
  };
  launch(128);  // loads and decodes
  tcd::harness::reset_counters();
  const auto start = std::chrono::steady_clock::now();
  launch(n);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  const auto counted = tcd::harness::read_counters();
  if (counted.empty()) {
    throw Missing("this is not the emulated device: LD_LIBRARY_PATH leads to another libcudart");
  }
  const int wrong = exact ? wrong_of_256(a, b, device_d.download(), size) : 0;
  return {{"seconds", time.count()},
          {"warp_instructions", counted.at("warp_instructions")},
          {"mma", counted.at("hmma")},
          {"mma_proven", counted.at("mma_proven")},
          {"check_reports", counted.at("check_reports")},
          {"wrong", wrong},
          {"peak_bytes", peak_bytes()}};
}

}  // namespace bench
