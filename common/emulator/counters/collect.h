// From the sites of a worker to the counters of a launch.
#pragma once

#include <span>

#include "counters/site.h"
#include "machine/device.h"

namespace tcd::emu {

void add_totals(std::span<Site> sites, LaunchCounters& counters);

}  // namespace tcd::emu
