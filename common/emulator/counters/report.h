// A launch's counters as text for people, and as JSON for programs (schema: README.md beside this).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "machine/device.h"

namespace tcd::emu {

struct LaunchReport {
  std::string kernel;   // as people write it
  uint64_t number = 0;  // of the launch in this process, from 1
  Dim3 grid, block;
  uint32_t shared_bytes = 0;  // a CTA, static and dynamic
  bool stopped = false;       // by a fault: the counters end there and depend on timing
  LaunchCounters counters;
  std::vector<LineTotals> lines;
};

// Counters that are zero are left out.
std::string report_text(const LaunchReport& launch, const Profile& profile);
nlohmann::json report_json(const LaunchReport& launch);
// The whole document but its "launches", which the caller fills.
nlohmann::json report_head(const Profile& profile);

}  // namespace tcd::emu
