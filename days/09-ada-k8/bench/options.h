// The bench's knobs.
#pragma once

#include <string>
#include <vector>

#include "bench/bench_kernel.h"
#include "harness/device_info.h"

namespace CLI {
class App;
}

namespace day::bench {

struct Options {
  std::string m = "4096", n = "4096", k = "4096";
  int tile = 3, layout = 3, stages = 3, group = 2;
  Mma mma = Mma::kK8;
  std::string narrow;  // "int8", "fp8"; empty: operands are halves
  Accumulator accumulator = Accumulator::kF32;
  Epilogue epilogue = Epilogue::kNone;
  bool unfused = false;
  bool no_minimum = false;
  int iters = 100, warmup = 40;
  bool check = false;
  int cpu = 0;
  bool sweep = false, gsweep = false;
  std::vector<int> groups;
  bool resume = false;
  std::string csv;
  std::string control;
  std::vector<std::string> given;  // those of the bench on the command line: what makes it run
};

struct Size {
  int m = 0, n = 0, k = 0;
  std::string text() const;
};

// The options of the bench on the command line. If there is one the bench runs, else the day.
std::vector<std::string> bench_options_in(int argc, char** argv);

void add_options(CLI::App& app, Options& options);
// Those that the day has too: --m --n --k --control.
void add_options_of_the_day(CLI::App& app, Options& options);

// The instance that was asked for. Throws UsageError when there is none.
const Instance& instance_of(const Options& options);
// Throws UsageError, with what is allowed, when the size is no multiple of the tile or does not
// fit.
Size size_of(const Options& options, const Instance& instance);
// Why this device cannot hold the configuration, or "" when it can.
std::string why_not(const Instance& instance, int layout, int stages,
                    const tcd::harness::DeviceInfo& device);

}  // namespace day::bench
