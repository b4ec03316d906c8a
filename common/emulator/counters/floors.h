// The least cycles that a kernel's counted work needs on a profile: for each resource its work
// divided by what the resource gives in a clock, on the SMs that can have a CTA. A floor and no
// time: latencies, waiting, uneven SMs and everything that is not counted come on top.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "counters/totals.h"
#include "machine/device.h"
#include "profiles/rates.h"

namespace tcd::emu {

struct Floor {
  const char* resource;  // "tensor cores", "shared memory", "L2", "DRAM"
  const char* unit;      // of work
  double work = 0;
  double cycles = 0;     // 0 with is_known: nothing to do
  bool is_known = true;  // false: no rate, or no cache model
  std::string source;    // of the rate, or why it is not known
};

struct Floors {
  uint32_t sms = 1;  // that can be busy
  std::vector<Floor> resources;
  const Floor* binds() const;  // the largest one known; nullptr: all are 0
};

// A tensor instruction by its name, "mma.m16n8k16.f32.f16.f16.f32" (counters/instruction_kind.h).
struct TensorWork {
  TensorType type = TensorType::kCount;  // kCount: not understood
  double flop = 0;                       // 2·m·n·k
  bool small = false;                    // as tensor_rate() means it
};
TensorWork tensor_work(std::string_view shape);

// `ctas`: of one launch. Counters and detail may be sums over launches; so are the floors then.
Floors floors_of(const Profile& profile, uint64_t ctas, const LaunchCounters& counters,
                 const LaunchDetail& detail);

}  // namespace tcd::emu
