#include "counters/collect.h"

#include <algorithm>

#include "machine/device_impl.h"
#include "machine/program.h"

namespace tcd::emu {

const char* name_of(SiteKind kind) {
  constexpr const char* kNames[kSiteKinds] = {"shared load", "shared store", "ldmatrix",
                                              "stmatrix",    "cp.async",     "global load",
                                              "global store"};
  return kind < SiteKind::kCount ? kNames[static_cast<size_t>(kind)] : "none";
}

void merge_sites(std::span<Site> worker, std::span<TotalsByKind> sites) {
  for (size_t i = 0; i < worker.size(); ++i) {
    worker[i].flush();
    for (size_t k = 0; k < kSiteKinds; ++k) sites[i][k].add(worker[i].totals[k], 1);
  }
}

void add_totals(std::span<const TotalsByKind> sites, LaunchCounters& counters) {
  for (const TotalsByKind& site : sites) {
    for (size_t k = 0; k < kSiteKinds; ++k) counters.memory[k].add(site[k], 1);
  }
  const auto executed = [&](SiteKind kind) {
    return counters.memory[static_cast<size_t>(kind)].executed;
  };
  counters.ldmatrix = executed(SiteKind::kMatrixLoad);
  counters.global_loads = executed(SiteKind::kGlobalLoad);
  counters.global_stores = executed(SiteKind::kGlobalStore);
  counters.shared_loads = executed(SiteKind::kSharedLoad);
  counters.shared_stores = executed(SiteKind::kSharedStore);
  counters.async_copies = executed(SiteKind::kAsyncCopy);
}

std::vector<LineTotals> totals_by_line(const Kernel& kernel, std::span<const TotalsByKind> sites) {
  std::vector<LineTotals> lines;
  const auto line = [&](const std::string& place, SiteKind kind) -> MemoryTotals& {
    const auto found = std::find_if(lines.begin(), lines.end(), [&](const LineTotals& l) {
      return l.kind == kind && l.place == place;
    });
    if (found != lines.end()) return found->totals;
    lines.push_back({place, kind, {}});
    return lines.back().totals;
  };
  for (const auto& code : kernel.codes) {
    if (code == nullptr) continue;
    for (const MicroOp& op : code->ops) {
      for (size_t k = 0; k < kSiteKinds; ++k) {
        const MemoryTotals& totals = sites[op.slot][k];
        if (totals.executed == 0) continue;
        line(place_of(*code->module, code->function->body[op.source].location),
             static_cast<SiteKind>(k))
            .add(totals, 1);
      }
    }
  }
  return lines;
}

}  // namespace tcd::emu
