#include "bench/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "gates/result.h"
#include "harness/control.h"
#include "harness/memory_need.h"
#include "harness/usage.h"

namespace day::bench {

namespace {

constexpr const char* kNames[] = {
    "--tile",      "--layout",  "--stages",     "--group",  "--mma",    "--acc",
    "--bias-relu", "--unfused", "--no-minimum", "--iters",  "--warmup", "--check",
    "--cpu",       "--sweep",   "--gsweep",     "--groups", "--resume", "--csv"};

void add_kernel_options(CLI::App& app, Options& options) {
  app.add_option(
         "--tile", options.tile,
         "CTA tile: 0 64x64, 4 warps of 32x32 (small matrices); 1 128x128, 8 warps of 64x32 "
         "(Days 03 to 08); 2 256x128, 8 warps of 64x64; 3 128x128, 4 warps of 64x64 (the "
         "Ada kernel); 4 256x128, 4 warps of 128x64 (spills: kept as a negative result). The bench "
         "takes "
         "whole tiles only: M, N and K are multiples of it")
      ->check(CLI::Range(0, kTiles - 1))
      ->capture_default_str();
  app.add_option(
         "--layout", options.layout,
         "Tile in shared memory: 0 row-major (4-way conflicts), 1 padded by 8 halves, 2 XOR "
         "with row & 3 (2-way), 3 XOR with (row >> 1) & 3 (none)")
      ->check(CLI::Range(0, kLayouts - 1))
      ->capture_default_str();
  app.add_option("--stages", options.stages, "Tiles in shared memory at once; 1 overlaps nothing")
      ->check(CLI::Range(1, kMostStages))
      ->capture_default_str();
  app.add_option("--group", options.group, "Tile rows walked together (L2); 1 is row-major order")
      ->check(CLI::Range(1, 1 << 16))
      ->capture_default_str();
  app.add_option_function<std::string>(
         "--mma",
         [&options](const std::string& name) {
           options.mma = name == "k8" ? Mma::kK8 : Mma::kK16;
           if (name == "int8" || name == "fp8") options.narrow = name;
         },
         "k8: two m16n8k8 a step of k = 16; k16: one m16n8k16; int8, fp8: operands of one byte, "
         "one "
         "m16n8k32 (tile 3, no epilogue; D of four bytes)")
      ->check(CLI::IsMember({"k8", "k16", "int8", "fp8"}))
      ->default_str("k8");
  app.add_option_function<std::string>(
         "--acc",
         [&options](const std::string& name) {
           options.accumulator = name == "f32" ? Accumulator::kF32 : Accumulator::kF16;
         },
         "Type of the sums. f16: twice the rate on GeForce cards, unusable accuracy")
      ->check(CLI::IsMember({"f32", "f16"}))
      ->default_str("f32");
  app.add_flag_callback(
      "--bias-relu", [&options] { options.epilogue = Epilogue::kBiasRelu; },
      "Bias and ReLU in registers before the store");
  app.add_flag("--unfused", options.unfused,
               "Bias and ReLU as a separate kernel, beside the fused one");
  app.add_flag("--no-minimum", options.no_minimum,
               "Tiles 1 and 3, f32: compiled without a minimum of resident CTAs");
}

std::string in_words(const std::vector<std::string>& names) {
  std::string words;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) words += i + 1 < names.size() ? ", " : " and ";
    words += names[i];
  }
  return words;
}

// The day itself has guarded edges: without the bench's options it takes what is refused here.
int whole_tiles(const Options& options, const char* name, const std::string& text, int tile) {
  try {
    return tcd::harness::parse_size(name, text, tile);
  } catch (const tcd::harness::UsageError& error) {
    tcd::harness::parse_size(name, text, 1);  // no number at all, or out of range: says so
    throw tcd::harness::UsageError(std::string(error.what()) +
                                   "; the bench takes whole tiles; leave " +
                                   in_words(options.given) + " away for any shape");
  }
}

}  // namespace

std::string Size::text() const {
  return std::to_string(m) + "×" + std::to_string(n) + "×" + std::to_string(k);
}

std::vector<std::string> bench_options_in(int argc, char** argv) {
  std::vector<std::string> given;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    word = word.substr(0, word.find('='));
    if (std::find(std::begin(kNames), std::end(kNames), word) != std::end(kNames)) {
      given.push_back(word);
    }
  }
  return given;
}

void add_options(CLI::App& app, Options& options) {
  add_kernel_options(app, options);
  app.add_option("--iters", options.iters, "Timed samples of each kernel (needs a card)")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  app.add_option("--warmup", options.warmup, "Launches before the first sample (needs a card)")
      ->check(CLI::Range(0, 100000))
      ->capture_default_str();
  app.add_flag("--check", options.check,
               "Against cuBLAS (needs a card): bit for bit on exact inputs, agreement on random "
               "ones, its split-K on a skinny shape; on any device, the error of FP16 sums over K");
  app.add_option("--cpu", options.cpu,
                 "Check an SxS corner on random inputs against a double reference")
      ->check(CLI::Range(1, 8192));
  app.add_flag("--sweep", options.sweep, "Every tile, layout and number of stages");
  app.add_flag("--gsweep", options.gsweep,
               "--group from 1 to 32: DRAM traffic by model; on a card, times");
  app.add_option("--groups", options.groups,
                 "With --sweep: each of these groups, too, e.g. 1,2,4,8; default: --group alone")
      ->delimiter(',')
      ->check(CLI::Range(1, 1 << 16));
  app.add_flag(
      "--resume", options.resume,
      "With --sweep and --csv: keep the file's rows and do what is missing. On a card rows "
      "come in batches, each beside the same reference kernel");
  app.add_option(
      "--csv", options.csv,
      "Write the rows of the bench or sweep to this file, each as soon as it is finished: after "
      "its gates, on a card after the times");
}

void add_options_of_the_day(CLI::App& app, Options& options) {
  app.add_option("--m", options.m, "Rows of A and D, a multiple of the tile")
      ->capture_default_str();
  app.add_option("--n", options.n, "Columns of B and D, a multiple of the tile")
      ->capture_default_str();
  app.add_option("--k", options.k, "Columns of A, rows of B, a multiple of 32")
      ->capture_default_str();
  app.add_option(
      "--control", options.control,
      "Break the run on purpose and see which gate says so: " + tcd::harness::control_names());
}

const Instance& instance_of(const Options& options) {
  const bool no_minimum = options.no_minimum;
  for (const Instance& instance : all_instances()) {
    if (instance.tile == options.tile && instance.mma == options.mma &&
        instance.accumulator == options.accumulator && instance.epilogue == options.epilogue &&
        (instance.unit() == "no_minimum") == no_minimum) {
      return instance;
    }
  }
  throw tcd::harness::UsageError(
      "--no-minimum exists for --tile 1 and --tile 3 with --acc f32 and without --bias-relu");
}

Size size_of(const Options& options, const Instance& instance) {
  const Size size = {whole_tiles(options, "--m", options.m, instance.shape.cta_m),
                     whole_tiles(options, "--n", options.n, instance.shape.cta_n),
                     whole_tiles(options, "--k", options.k, instance.shape.cta_k)};
  const uint64_t inputs = (uint64_t(size.m) + size.n) * size.k, outputs = uint64_t(size.m) * size.n;
  tcd::harness::require_memory(size.text(), inputs * 2 + outputs * 4, inputs * 8 + outputs * 16);
  return size;
}

std::string why_not(const Instance& instance, int layout, int stages,
                    const tcd::harness::DeviceInfo& device) {
  const size_t needed = instance.shared_bytes(layout, stages);
  const size_t allowed = device.properties.sharedMemPerBlockOptin;
  if (needed <= allowed) return "";
  return "needs " + tcd::with_separators(static_cast<int64_t>(needed)) +
         " bytes of shared memory a CTA, this device allows " +
         tcd::with_separators(static_cast<int64_t>(allowed));
}

}  // namespace day::bench
