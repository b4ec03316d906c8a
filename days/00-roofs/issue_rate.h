// Rates by the SMs' own clock, and the same instruction back to back.
#pragma once

#include <optional>
#include <vector>

#include "day.h"

namespace day {

// From the first warp's start to the last one's stop, by the clock of that SM.
double sm_cycles(const std::vector<WarpClock>& clocks, int sm, int warps);

// One launch of some milliseconds, on random operands: they draw more power than the gate's.
struct LoadSample {
  double flop_per_clk_sm = 0;
  double tflops = 0;     // by the events around it
  double clock_mhz = 0;  // cycles over time: what the SMs really ran at
  double power_watts = 0;
};
struct LoadRun {
  LoadSample rested, loaded;  // after a pause; after `seconds` without one
};
// issue_load.cpp. On a card only.
LoadRun run_back_to_back(const MmaKind& kind, const Roof& roof, const cudaDeviceProp& device,
                         double seconds);

}  // namespace day
