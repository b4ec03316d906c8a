// The roof of every kernel that multiplies with mma.sync: Day 00's issue rate, on this card.
#pragma once

#include <string>

#include "harness/device_info.h"

namespace tcd::bench {

struct Roof {
  double flop_per_clock_and_sm = 0;
  std::string how;  // "m16n8k16 FP16→FP32, 8 warps, ILP 4"
};

// Nothing but mma on registers, by each SM's own clock: a share of it needs no TFLOP/s, whose clock
// nobody knows. The best of 4, 8 and 16 warps at each ILP. A second or so.
Roof measure_roof(const harness::DeviceInfo& device);

}  // namespace tcd::bench
