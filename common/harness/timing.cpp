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

namespace {

constexpr double kSampleMs = 2;  // long enough that launching costs little of it
constexpr int kMostLaunches = 20;
constexpr auto kRest = std::chrono::milliseconds(10);

struct Samples {
  std::vector<double> times;
  std::vector<int> clocks;
  int held_back = 0;

  void add(const Telemetry& telemetry) {
    constexpr uint64_t kIdle = 1;
    clocks.push_back(telemetry.sm_clock_mhz);
    held_back += (telemetry.throttle_reasons & ~kIdle) != 0;
  }

  Timing summary(const Candidate& candidate) {
    std::sort(times.begin(), times.end());
    std::sort(clocks.begin(), clocks.end());
    Timing timing;
    timing.name = candidate.name;
    timing.flop = candidate.flop;
    timing.median_ms = times[times.size() / 2];
    timing.fastest_ms = times.front();
    timing.slowest_ms = times.back();
    timing.samples = static_cast<int>(times.size());
    timing.held_back = held_back;
    timing.sm_clock_mhz = clocks.empty() ? 0 : clocks[clocks.size() / 2];
    return timing;
  }
};

}  // namespace

EventPair::EventPair() {
  check(cudaEventCreate(&start_), "cudaEventCreate");
  check(cudaEventCreate(&stop_), "cudaEventCreate");
}

EventPair::~EventPair() {
  cudaEventDestroy(start_);
  cudaEventDestroy(stop_);
}

double EventPair::time_ms(const std::function<void()>& launch, int count,
                          const std::function<void()>& behind) {
  check(cudaEventRecord(start_), "cudaEventRecord");
  for (int i = 0; i < count; ++i) launch();
  check(cudaEventRecord(stop_), "cudaEventRecord");
  if (behind) behind();
  check(cudaEventSynchronize(stop_), "the timed launch");
  float ms = 0;
  check(cudaEventElapsedTime(&ms, start_, stop_), "cudaEventElapsedTime");
  return ms / static_cast<float>(count);
}

std::vector<Timing> time_launches(const std::vector<Candidate>& candidates, int samples,
                                  int warm_ups) {
  EventPair events;
  std::vector<int> counts;
  for (const Candidate& candidate : candidates) {
    for (int i = 0; i < warm_ups; ++i) candidate.launch();
    const double once = events.time_ms(candidate.launch, 1);
    counts.push_back(std::clamp(static_cast<int>(kSampleMs / once), 1, kMostLaunches));
  }
  std::vector<Samples> taken(candidates.size());
  for (int round = 0; round < samples; ++round) {
    for (size_t i = 0; i < candidates.size(); ++i) {
      taken[i].times.push_back(events.time_ms(candidates[i].launch, counts[i]));
      if (auto telemetry = read_telemetry()) taken[i].add(*telemetry);
      std::this_thread::sleep_for(kRest);
    }
  }
  std::vector<Timing> timings;
  for (size_t i = 0; i < candidates.size(); ++i) {
    timings.push_back(taken[i].summary(candidates[i]));
  }
  return timings;
}

std::string Timing::line() const {
  char text[256];
  std::snprintf(text, sizeof text,
                "%s: %.3f ms median of %d (%.3f to %.3f), %.1f GFLOP/s at %d MHz", name.c_str(),
                median_ms, samples, fastest_ms, slowest_ms, tflops() * 1e3, sm_clock_mhz);
  return text;
}

std::string Rate::line() const {
  char text[64];
  std::snprintf(text, sizeof text, ": %.1f ", value);
  std::string line = name + text + unit;
  if (sm_clock_mhz > 0) line += " at " + std::to_string(sm_clock_mhz) + " MHz";
  return detail.empty() ? line : line + " (" + detail + ")";
}

void to_json(nlohmann::json& json, const Rate& rate) {
  json = {{"name", rate.name}, {"value", rate.value}, {"unit", rate.unit}};
  if (rate.sm_clock_mhz > 0) json["sm_clock_mhz"] = rate.sm_clock_mhz;
  if (!rate.detail.empty()) json["detail"] = rate.detail;
}

void to_json(nlohmann::json& json, const Timing& timing) {
  json = {{"name", timing.name},
          {"median_ms", timing.median_ms},
          {"fastest_ms", timing.fastest_ms},
          {"slowest_ms", timing.slowest_ms},
          {"samples", timing.samples},
          {"held_back_samples", timing.held_back},
          {"gflops", timing.tflops() * 1e3},
          {"sm_clock_mhz", timing.sm_clock_mhz}};
}

}  // namespace tcd::harness
