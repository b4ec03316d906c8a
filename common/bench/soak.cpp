#include "bench/soak.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <numeric>

#include "harness/cuda_error.h"
#include "harness/timing.h"

namespace tcd::bench {

namespace {

constexpr double kBatchSeconds = 0.25;
constexpr int kMostQueued = 900;  // the runtime's queue holds about a thousand launches

// NVML's reasons, in the words of its documentation.
struct Reason {
  uint64_t bits;
  const char* words;
};
constexpr Reason kReasons[] = {
    {4, "power cap"}, {8 | 128, "hardware slowdown or power brake"}, {32 | 64, "too hot"}};

class Event {
 public:
  Event() { harness::check(cudaEventCreate(&event_), "cudaEventCreate"); }
  Event(const Event&) = delete;
  ~Event() { cudaEventDestroy(event_); }
  void record() { harness::check(cudaEventRecord(event_), "cudaEventRecord"); }
  void wait() const { harness::check(cudaEventSynchronize(event_), "the soak"); }
  double ms_since(const Event& start) const {
    float ms = 0;
    harness::check(cudaEventElapsedTime(&ms, start.event_, event_), "cudaEventElapsedTime");
    return ms;
  }

 private:
  cudaEvent_t event_{};
};

template <typename Value>
double mean_of_tenth(const std::vector<SoakSample>& samples, bool last, const Value& value) {
  const size_t count = std::max<size_t>(1, samples.size() / 10);
  const size_t begin = last ? samples.size() - count : 0;
  double sum = 0;
  for (size_t i = begin; i < begin + count; ++i) sum += value(samples[i]);
  return sum / static_cast<double>(count);
}

template <typename Value>
double decay(const std::vector<SoakSample>& samples, const Value& value) {
  const double first = mean_of_tenth(samples, false, value);
  return first > 0 ? 100 * (1 - mean_of_tenth(samples, true, value) / first) : 0;
}

double tflops_of(const SoakSample& sample) { return sample.tflops; }
double clock_of(const SoakSample& sample) { return sample.telemetry.sm_clock_mhz; }

}  // namespace

int64_t Soak::launches() const {
  return std::accumulate(
      samples.begin(), samples.end(), int64_t{0},
      [](int64_t sum, const SoakSample& sample) { return sum + sample.launches; });
}

double Soak::seconds() const { return samples.empty() ? 0 : samples.back().end_s; }

double Soak::tflops(double flop) const {
  return seconds() > 0 ? flop * static_cast<double>(launches()) / seconds() * 1e-12 : 0;
}

double Soak::decay_percent() const { return decay(samples, tflops_of); }
double Soak::clock_decay_percent() const { return decay(samples, clock_of); }

int Soak::held_back(uint64_t reasons) const {
  return static_cast<int>(
      std::count_if(samples.begin(), samples.end(), [reasons](const SoakSample& sample) {
        return (sample.telemetry.throttle_reasons & reasons) != 0;
      }));
}

Soak soak(const Candidate& candidate, const Inputs& inputs, int seconds) {
  const auto launch = [&] { candidate.launch(inputs.next(candidate.group)); };
  harness::EventPair pair;
  launch();
  const double once_ms = pair.time_ms(launch, 1);
  const int batch =
      std::clamp(static_cast<int>(std::ceil(kBatchSeconds * 1e3 / once_ms)), 1, kMostQueued);
  Soak result;
  Event start, ends[2];
  start.record();
  double last_ms = 0;
  const auto finish = [&](const Event& end) {
    end.wait();
    const double ms = end.ms_since(start);
    SoakSample sample;
    sample.launches = batch;
    sample.end_s = ms * 1e-3;
    sample.tflops = inputs.size().flop() * batch / (ms - last_ms) * 1e-9;
    if (const auto telemetry = harness::read_telemetry()) sample.telemetry = *telemetry;
    result.samples.push_back(sample);
    last_ms = ms;
  };
  int queued = 0;
  for (; result.seconds() < seconds; ++queued) {
    for (int i = 0; i < batch; ++i) launch();
    ends[queued % 2].record();
    harness::check(cudaGetLastError(), "the soak");
    if (queued > 0) finish(ends[(queued - 1) % 2]);
  }
  finish(ends[(queued - 1) % 2]);
  return result;
}

void show(harness::Session& session, const Candidate& candidate, const Size& size,
          const Soak& soak) {
  const auto& first = soak.samples.front();
  const auto& last = soak.samples.back();
  char line[256];
  std::snprintf(line, sizeof line,
                "%s launches in %.1f s: %.2f TFLOP/s; first tenth to last: %.2f %% slower, the "
                "clock %.2f %% lower",
                with_separators(soak.launches()).c_str(), soak.seconds(), soak.tflops(size.flop()),
                soak.decay_percent(), soak.clock_decay_percent());
  session.say(line);
  std::snprintf(line, sizeof line,
                "at the start %.2f TFLOP/s, %.1f W, %d MHz, %d °C; at the end %.2f, %.1f W, %d "
                "MHz, %d °C",
                first.tflops, first.telemetry.power_watts, first.telemetry.sm_clock_mhz,
                first.telemetry.temperature_celsius, last.tflops, last.telemetry.power_watts,
                last.telemetry.sm_clock_mhz, last.telemetry.temperature_celsius);
  session.say(line);
  nlohmann::json held;
  for (const Reason& reason : kReasons) {
    held[reason.words] = soak.held_back(reason.bits);
    std::snprintf(line, sizeof line, "held back by %s in %d of %zu samples", reason.words,
                  soak.held_back(reason.bits), soak.samples.size());
    session.say(line);
  }
  nlohmann::json samples = nlohmann::json::array();
  for (const SoakSample& sample : soak.samples) {
    samples.push_back({{"end_s", sample.end_s},
                       {"tflops", sample.tflops},
                       {"clock_mhz", sample.telemetry.sm_clock_mhz},
                       {"watts", sample.telemetry.power_watts},
                       {"celsius", sample.telemetry.temperature_celsius},
                       {"throttle_reasons", sample.telemetry.throttle_reasons}});
  }
  session.derive("soak",
                 {{"candidate", candidate.name},
                  {"size", size.text()},
                  {"launches", soak.launches()},
                  {"seconds", soak.seconds()},
                  {"tflops", soak.tflops(size.flop())},
                  {"decay_percent", soak.decay_percent()},
                  {"clock_decay_percent", soak.clock_decay_percent()},
                  {"samples_a_second", static_cast<double>(soak.samples.size()) / soak.seconds()},
                  {"held_back_samples", held},
                  {"samples", samples}});
}

}  // namespace tcd::bench
