// What all launches counted since the start or the last reset.
#pragma once

#include "machine/device.h"

namespace tcd::emu::runtime {

void add_to_totals(const LaunchCounters& counters);

}  // namespace tcd::emu::runtime
