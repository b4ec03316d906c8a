// Times a launch on a card: median of event-timed samples, with sleeps between them.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tcd::harness {

struct Timing {
  std::string name;
  double median_ms = 0;
  double fastest_ms = 0;
  double slowest_ms = 0;
  int samples = 0;
  int sm_clock_mhz = 0;  // median of the readings right after each sample; 0: not readable
  double flop = 0;       // of one launch, for the rate
  double tflops() const { return flop / median_ms * 1e-9; }
  std::string line() const;
};

// Runs `launch` `warmup` times, then `samples` times with an event pair around each, sleeping
// between samples so that a power-capped card does not heat one candidate with another's work.
// Only for cards: the emulated device has no time of its own. Throws CudaError.
Timing time_launch(std::string name, double flop, const std::function<void()>& launch,
                   int warmup = 3, int samples = 20);

void to_json(nlohmann::json& json, const Timing& timing);

}  // namespace tcd::harness
