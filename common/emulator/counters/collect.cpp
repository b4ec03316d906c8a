#include "counters/collect.h"

namespace tcd::emu {

void add_totals(std::span<Site> sites, LaunchCounters& counters) {
  for (Site& site : sites) {
    site.flush();
    for (size_t k = 0; k < site.totals.size(); ++k) counters.memory[k].add(site.totals[k], 1);
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

}  // namespace tcd::emu
