// Every counter there is: its name here, Nsight Compute's name for the same thing, and what it
// means.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "machine/device.h"

namespace tcd::emu {

struct Counter {
  const char* name;    // what tcd_counter() takes; key of the JSON report
  const char* nsight;  // metric of `ncu --metrics`; "": Nsight has none that means the same
  const char* words;
  uint64_t (*value)(const LaunchCounters&);
};

std::span<const Counter> counter_table();

// The same for what the cache model counts, in sectors.
struct CacheCounter {
  const char* name;
  const char* nsight;
  const char* words;
  uint64_t CacheTraffic::*value;
};
std::span<const CacheCounter> cache_counter_table();
const Counter* find_counter(std::string_view name);  // nullptr: none of that name

}  // namespace tcd::emu
