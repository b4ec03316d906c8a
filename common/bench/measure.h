// The measurement: all candidates in turn, in a new random order each round, rested in between.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/inputs.h"

namespace tcd::bench {

struct Sample {
  double ms = 0;         // of one launch
  double clock_mhz = 0;  // of the SMs, measured right behind it
  int nvml_mhz = 0;      // what the driver says; 0: nothing
  double watts = 0;
  uint64_t throttle_reasons = 0;  // NVML's bits, telemetry.h
};

struct Measurement {
  const Candidate* candidate = nullptr;
  int launches = 0;             // back to back in one sample
  std::vector<Sample> samples;  // one a round: the same index is the same round for all

  double median_ms() const;
  double quartile_ms(int quarter) const;  // 0 the fastest, 4 the slowest
  double clock_mhz() const;               // median
  double median_watts() const;
  int nvml_mhz() const;
  double tflops() const;
  // Samples in which something other than idleness held the clock back.
  int throttled() const;
  // Median over the samples of what this is of flop_per_clock, each at the clock of its own sample.
  double share_of_roof(double flop_per_clock) const;
  double flop = 0;
};

struct Plan {
  int rounds = 40;
  double rest_ms = 0;  // 0: twenty times the sample, 10 to 60 ms
  uint64_t seed = 1;
};

std::vector<Measurement> measure(const std::vector<const Candidate*>& candidates,
                                 const Inputs& inputs, const Plan& plan);

// What `of` costs beside `base`, from the pairs of the same round: mean of the ratios − 1, and its
// one-sided 95 % bound.
struct Cost {
  int pairs = 0;
  double mean = 0, upper_bound = 0;
};
Cost cost(const Measurement& of, const Measurement& base);

}  // namespace tcd::bench
