#include "harness/timing.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "harness/cuda_error.h"
#include "harness/telemetry.h"

namespace tcd::harness {

Timing time_launch(std::string name, double flop, const std::function<void()>& launch, int warmup,
                   int samples) {
  cudaEvent_t start;
  cudaEvent_t stop;
  check(cudaEventCreate(&start), "cudaEventCreate");
  check(cudaEventCreate(&stop), "cudaEventCreate");
  for (int i = 0; i < warmup; ++i) launch();
  check(cudaDeviceSynchronize(), "warming up");
  std::vector<double> times;
  std::vector<int> clocks;
  for (int i = 0; i < samples; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    check(cudaEventRecord(start), "cudaEventRecord");
    launch();
    check(cudaEventRecord(stop), "cudaEventRecord");
    check(cudaEventSynchronize(stop), "the timed launch");
    float ms = 0;
    check(cudaEventElapsedTime(&ms, start, stop), "cudaEventElapsedTime");
    times.push_back(ms);
    if (auto telemetry = read_telemetry()) clocks.push_back(telemetry->sm_clock_mhz);
  }
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  std::sort(times.begin(), times.end());
  std::sort(clocks.begin(), clocks.end());
  Timing timing;
  timing.name = std::move(name);
  timing.median_ms = times[times.size() / 2];
  timing.fastest_ms = times.front();
  timing.slowest_ms = times.back();
  timing.samples = samples;
  timing.sm_clock_mhz = clocks.empty() ? 0 : clocks[clocks.size() / 2];
  timing.flop = flop;
  return timing;
}

std::string Timing::line() const {
  char text[256];
  std::snprintf(text, sizeof text,
                "%s: %.3f ms median of %d (%.3f to %.3f), %.1f GFLOP/s at %d MHz", name.c_str(),
                median_ms, samples, fastest_ms, slowest_ms, tflops() * 1e3, sm_clock_mhz);
  return text;
}

void to_json(nlohmann::json& json, const Timing& timing) {
  json = {{"name", timing.name},
          {"median_ms", timing.median_ms},
          {"fastest_ms", timing.fastest_ms},
          {"slowest_ms", timing.slowest_ms},
          {"samples", timing.samples},
          {"gflops", timing.tflops() * 1e3},
          {"sm_clock_mhz", timing.sm_clock_mhz}};
}

}  // namespace tcd::harness
