// From the sites of the workers to the counters of a launch. `sites` is indexed by MicroOp::slot.
#pragma once

#include <span>
#include <vector>

#include "counters/site.h"
#include "machine/device.h"

namespace tcd::emu {

// Adds what one worker's sites have counted.
void merge_sites(std::span<Site> worker, std::span<TotalsByKind> sites);
void add_totals(std::span<const TotalsByKind> sites, LaunchCounters& counters);
std::vector<LineTotals> totals_by_line(const Kernel& kernel, std::span<const TotalsByKind> sites);

}  // namespace tcd::emu
