// From what the workers counted to the counters of a launch. `sites` is indexed by MicroOp::slot.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "counters/site.h"
#include "machine/code.h"
#include "machine/device.h"

namespace tcd::emu {

// Adds what one worker's sites have counted.
void merge_sites(std::span<Site> worker, std::span<TotalsByKind> sites);
void add_totals(std::span<const TotalsByKind> sites, LaunchCounters& counters);

// How often each micro-operation of a function was executed, by its index.
using ExecutedOps = std::map<const Code*, std::vector<uint64_t>>;
void merge_executed(const ExecutedOps& worker, ExecutedOps& all);
LaunchDetail detail_of(const Kernel& kernel, std::span<const TotalsByKind> sites,
                       const ExecutedOps& executed, const CacheModel* caches);

}  // namespace tcd::emu
