// How fast the machine runs: million warp instructions per second, on ordinary FP32 code and on
// tensor core code. Not a test.
//   bench_machine [n] [threads] [file.ptx …]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <sstream>

#include "machine/micro_op.h"
#include "machine/tests/bench.h"

using namespace tcd::emu;

namespace {

std::string read(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  if (text.str().empty()) {
    std::fprintf(stderr, "bench_machine: cannot read %s; start it in the repository's root\n",
                 path.c_str());
    std::exit(2);
  }
  return text.str();
}

// C = A · B, n × n, ones: every element of C must be n.
template <class In>
void measure(const char* name, const char* kernel, const std::string& path, int n, int threads,
             uint32_t tile, In one) {
  Bench bench(read(path), threads);
  if (const char* checks = std::getenv("TCD_CHECKS")) {
    bench.device.set_checks(parse_checks(checks));
  }
  const auto count = static_cast<size_t>(n) * static_cast<size_t>(n);
  const uint64_t a = bench.upload(std::vector<In>(count, one));
  const uint64_t c = bench.upload(std::vector<float>(count, -1));
  const auto grid = static_cast<uint32_t>(n) / tile;
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t cpu_start = std::clock();
  const LaunchError e =
      bench.launch(kernel, {grid, grid}, {256}, Params().add(a).add(a).add(c).add(n));
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const double cpu = static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC;
  if (e.fault != Fault::kNone) {
    std::printf("%s: %s\n", name, e.message.c_str());
    std::exit(1);
  }
  for (const auto& report : e.reports) std::printf("%s\n", report.text.c_str());
  size_t wrong = 0;
  for (float v : bench.download<float>(c, count)) wrong += v != static_cast<float>(n);
  const LaunchCounters& k = bench.counters;
  const double millions = static_cast<double>(k.warp_instructions) / 1e6;
  std::printf(
      "%-6s n=%d: %.3f s on %d threads, %.3f s of CPU time, %.1f M warp instructions: "
      "%.1f M/s and core; %llu mma; %s\n",
      name, n, seconds, threads, cpu, millions, millions / cpu,
      static_cast<unsigned long long>(k.hmma_m16n8k8 + k.hmma_m16n8k16),
      wrong == 0 ? "result right" : "RESULT WRONG");
}

}  // namespace

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 1024;
  const int threads = argc > 2 ? std::atoi(argv[2]) : 1;
  if (n <= 0 || n % 128 != 0 || threads <= 0) {
    std::fprintf(stderr, "usage: bench_machine [n, a multiple of 128] [threads]\n");
    return 2;
  }
  std::printf("execution code: %s\n", name_of(best_isa()));
  const std::string folder = "common/emulator/machine/bench/";
  measure<float>("sgemm", "sgemm", folder + "sgemm.ptx", n, threads, 128, 1.0f);
  measure<uint16_t>("hgemm", "hgemm", folder + "hgemm.ptx", n, threads, 64, 0x3c00);
}
