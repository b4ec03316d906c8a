// Times on a card: samples beside cuBLAS, and a soak.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "bench/random_run.h"
#include "harness/cublas.h"
#include "harness/telemetry.h"

namespace day::bench {

namespace {

using tcd::harness::Session;
using Clock = std::chrono::steady_clock;

double flop_of(const Size& size) { return 2.0 * size.m * size.n * size.k; }

constexpr int kLaunchesAtOnce = 20;  // then one synchronisation: a few percent of a second apart
constexpr double kWindowSeconds = 1;

struct Window {
  double tflops = 0;
  tcd::harness::Telemetry telemetry;
};

struct SoakTotals {
  int64_t launches = 0;
  double seconds = 0;
  int throttled = 0;  // windows in which something held the clock back
  std::vector<Window> windows;
};

SoakTotals run_soak(const RandomRun& run, const Configuration& configuration, int seconds) {
  SoakTotals totals;
  const auto gemm = run.arguments();
  const auto start = Clock::now();
  const auto since = [](Clock::time_point then) {
    return std::chrono::duration<double>(Clock::now() - then).count();
  };
  while ((totals.seconds = since(start)) < seconds) {
    const auto window_start = Clock::now();
    int64_t launches = 0;
    double elapsed = 0;
    while ((elapsed = since(window_start)) < kWindowSeconds) {
      for (int i = 0; i < kLaunchesAtOnce; ++i) launch(configuration, gemm);
      tcd::harness::check_launch("the soak");
      launches += kLaunchesAtOnce;
    }
    Window window;
    window.tflops = flop_of(run.size) * static_cast<double>(launches) / elapsed * 1e-12;
    if (auto telemetry = tcd::harness::read_telemetry()) window.telemetry = *telemetry;
    constexpr uint64_t kIdle = 1;
    totals.throttled += (window.telemetry.throttle_reasons & ~kIdle) != 0;
    totals.windows.push_back(window);
    totals.launches += launches;
  }
  return totals;
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
  if (cublas) {
    char line[64];
    std::snprintf(line, sizeof line, "%.1f %% of cuBLAS",
                  100 * timings.back().median_ms / row.median_ms);
    session.say(line);
  }
}

void soak(Session& session, const Configuration& configuration, const Size& size, int seconds) {
  session.section("Soak, " + std::to_string(seconds) + " s at " + size.text());
  const RandomRun run(size, session.seed());
  const SoakTotals totals = run_soak(run, configuration, seconds);
  const Window& first = totals.windows.front();
  const Window& last = totals.windows.back();
  const double rate = flop_of(size) * static_cast<double>(totals.launches) / totals.seconds * 1e-12;
  const double decay = 100 * (1 - last.tflops / first.tflops);
  char line[256];
  std::snprintf(line, sizeof line,
                "%s launches in %.0f s: %.2f TFLOP/s; first second %.2f, last %.2f: %.1f %% decay",
                tcd::with_separators(totals.launches).c_str(), totals.seconds, rate, first.tflops,
                last.tflops, decay);
  session.say(line);
  const auto& end = last.telemetry;
  std::snprintf(line, sizeof line,
                "at the end %.1f W, %d MHz, %d °C; something held the clock back in %d of %zu "
                "seconds",
                end.power_watts, end.sm_clock_mhz, end.temperature_celsius, totals.throttled,
                totals.windows.size());
  session.say(line);
  nlohmann::json seconds_table = nlohmann::json::array();
  for (const Window& window : totals.windows) {
    seconds_table.push_back({{"tflops", window.tflops},
                             {"clock_mhz", window.telemetry.sm_clock_mhz},
                             {"watts", window.telemetry.power_watts},
                             {"celsius", window.telemetry.temperature_celsius},
                             {"throttle_reasons", window.telemetry.throttle_reasons}});
  }
  session.derive("soak", {{"configuration", configuration.text()},
                          {"size", size.text()},
                          {"launches", totals.launches},
                          {"seconds", totals.seconds},
                          {"tflops", rate},
                          {"decay percent", decay},
                          {"throttled seconds", totals.throttled},
                          {"each second", seconds_table}});
}

}  // namespace day::bench
