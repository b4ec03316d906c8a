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
  if (cublas) {
    char line[64];
    std::snprintf(line, sizeof line, "%.1f %% of cuBLAS",
                  100 * timings.back().median_ms / row.median_ms);
    session.say(line);
  }
}

}  // namespace day::bench
