// Tells people what the checks found in a launch.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/device.h"

namespace tcd::emu::runtime {

// Prints those that no earlier launch had, and returns how many there were.
uint64_t tell_reports(const std::vector<LaunchError::Report>& reports);

}  // namespace tcd::emu::runtime
