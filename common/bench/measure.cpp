#include "bench/measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <thread>

#include "bench/device.h"
#include "harness/cuda_error.h"
#include "harness/telemetry.h"
#include "harness/timing.h"

namespace tcd::bench {

namespace {

constexpr double kSampleMs = 2;  // long enough that the event pair's half microsecond is nothing
constexpr int kMostLaunches = 20;
constexpr int kWarmUps = 3;

template <typename Value>
double median_of(const std::vector<Sample>& samples, const Value& value) {
  std::vector<double> values;
  for (const Sample& sample : samples) values.push_back(value(sample));
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

Sample take(const Candidate& candidate, const Inputs& inputs, harness::EventPair& events,
            int launches) {
  candidate.launch(inputs.next(candidate.group));  // the card wakes up on this one, untimed
  Sample sample;
  sample.ms = events.time_ms([&] { candidate.launch(inputs.next(candidate.group)); }, launches,
                             start_clock_probe);
  sample.clock_mhz = read_clock_probe();
  if (const auto telemetry = harness::read_telemetry()) {
    sample.nvml_mhz = telemetry->sm_clock_mhz;
    sample.watts = telemetry->power_watts;
    sample.throttle_reasons = telemetry->throttle_reasons;
  }
  return sample;
}

std::vector<size_t> shuffled(size_t count, uint64_t seed, int round) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  for (size_t i = count; i > 1; --i) {
    const uint64_t draw = random_bits(seed, static_cast<uint64_t>(round) * count + i);
    std::swap(order[i - 1], order[draw % i]);
  }
  return order;
}

}  // namespace

double Measurement::median_ms() const { return quartile_ms(2); }

double Measurement::quartile_ms(int quarter) const {
  std::vector<double> times;
  for (const Sample& sample : samples) times.push_back(sample.ms);
  std::sort(times.begin(), times.end());
  return times[std::min(times.size() - 1, times.size() * quarter / 4)];
}

double Measurement::clock_mhz() const {
  return median_of(samples, [](const Sample& sample) { return sample.clock_mhz; });
}

double Measurement::median_watts() const {
  return median_of(samples, [](const Sample& sample) { return sample.watts; });
}

int Measurement::nvml_mhz() const {
  return static_cast<int>(median_of(samples, [](const Sample& sample) { return sample.nvml_mhz; }));
}

double Measurement::tflops() const { return flop / median_ms() * 1e-9; }

int Measurement::throttled() const {
  constexpr uint64_t kIdle = 1;
  return static_cast<int>(std::count_if(samples.begin(), samples.end(), [](const Sample& sample) {
    return (sample.throttle_reasons & ~kIdle) != 0;
  }));
}

double Measurement::share_of_roof(double flop_per_clock) const {
  return median_of(samples, [&](const Sample& sample) {
    return flop / (sample.ms * 1e-3) / (flop_per_clock * sample.clock_mhz * 1e6);
  });
}

std::vector<Measurement> measure(const std::vector<const Candidate*>& candidates,
                                 const Inputs& inputs, const Plan& plan) {
  harness::EventPair events;
  std::vector<Measurement> measurements;
  for (const Candidate* candidate : candidates) {
    const auto launch = [&] { candidate->launch(inputs.next(candidate->group)); };
    for (int i = 0; i < kWarmUps; ++i) launch();
    const double once = events.time_ms(launch, 1);
    Measurement measurement;
    measurement.candidate = candidate;
    measurement.flop = inputs.size().flop();
    measurement.launches = std::clamp(static_cast<int>(kSampleMs / once), 1, kMostLaunches);
    measurements.push_back(std::move(measurement));
  }
  for (int round = 0; round < plan.rounds; ++round) {
    for (const size_t i : shuffled(measurements.size(), plan.seed, round)) {
      Measurement& measurement = measurements[i];
      measurement.samples.push_back(
          take(*measurement.candidate, inputs, events, measurement.launches));
      const double busy = measurement.samples.back().ms * measurement.launches;
      const double rest = plan.rest_ms > 0 ? plan.rest_ms : std::clamp(20 * busy, 10.0, 60.0);
      std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(rest));
    }
  }
  return measurements;
}

Cost cost(const Measurement& of, const Measurement& base) {
  constexpr double kOneSided95 = 1.645;  // of a normal mean: there are dozens of pairs
  const size_t pairs = std::min(of.samples.size(), base.samples.size());
  double sum = 0, squares = 0;
  for (size_t i = 0; i < pairs; ++i) {
    const double ratio = of.samples[i].ms / base.samples[i].ms - 1;
    sum += ratio;
    squares += ratio * ratio;
  }
  const auto n = static_cast<double>(pairs);
  const double mean = sum / n;
  const double deviation =
      pairs > 1 ? std::sqrt(std::max(0.0, squares - n * mean * mean) / (n - 1)) : 0;
  return {static_cast<int>(pairs), mean, mean + kOneSided95 * deviation / std::sqrt(n)};
}

}  // namespace tcd::bench
