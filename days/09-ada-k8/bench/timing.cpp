// Times on a card: samples beside cuBLAS.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "bench/random_run.h"
#include "harness/cublas.h"

namespace day::bench {

namespace {

using tcd::harness::Session;

double flop_of(const Size& size) { return 2.0 * size.m * size.n * size.k; }

// A rate at a clock that the power cap chose compares with nobody's. The work a clock does.
void say_per_clock(Session& session, const tcd::harness::Timing& timing) {
  if (timing.sm_clock_mhz == 0) return session.say("the clock cannot be read here");
  const double clocks = timing.median_ms * timing.sm_clock_mhz * 1e3;
  const double each = timing.flop / clocks / session.device().properties.multiProcessorCount;
  char line[128];
  std::snprintf(line, sizeof line,
                "%.0f FLOP/clk/SM at its own clock; held back in %d of %d samples", each,
                timing.held_back, timing.samples);
  session.say(line);
  session.derive("per clock", {{"flop_per_clock_and_sm", each},
                               {"sm_clock_mhz", timing.sm_clock_mhz},
                               {"held_back_samples", timing.held_back},
                               {"samples", timing.samples}});
}

}  // namespace

void time_configuration(Session& session, const Options& options, Row& row) {
  session.section("Times at " + row.size.text() + ", random inputs");
  const RandomRun run(row.size, session.seed());
  auto gemm = run.arguments();
  const Configuration& configuration = row.configuration;
  std::vector<tcd::harness::Candidate> candidates = {
      {configuration.text(), flop_of(row.size), [&] { launch(configuration, gemm); }}};
  Options with_epilogue = options;
  with_epilogue.epilogue = Epilogue::kBiasRelu;
  Configuration fused = configuration;
  if (options.unfused) {
    fused.instance = &instance_of(with_epilogue);
    candidates.push_back({fused.text(), flop_of(row.size), [&] { launch(fused, gemm); }});
    candidates.push_back({configuration.text() + ", then bias + ReLU", flop_of(row.size), [&] {
                            launch(configuration, gemm);
                            launch_bias_relu(gemm.d, gemm.ldd, gemm.m, gemm.n, gemm.bias);
                          }});
  }
  std::string why;
  const auto cublas = tcd::harness::Cublas::open(why);
  if (cublas) {
    candidates.push_back({"cuBLAS", flop_of(row.size), [&] { cublas->gemm(gemm); }});
  } else {
    session.say("cuBLAS: not compared: " + why);
  }
  const auto timings = tcd::harness::time_launches(candidates, options.iters, options.warmup);
  for (const auto& timing : timings) session.timing(timing);
  row.median_ms = timings.front().median_ms;
  row.tflops = timings.front().tflops();
  row.clock_mhz = timings.front().sm_clock_mhz;
  say_per_clock(session, timings.front());
  if (cublas) {
    char line[64];
    std::snprintf(line, sizeof line, "%.1f %% of cuBLAS",
                  100 * timings.back().median_ms / row.median_ms);
    session.say(line);
  }
}

}  // namespace day::bench
