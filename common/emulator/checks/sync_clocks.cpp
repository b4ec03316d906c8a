#include "checks/sync_clocks.h"

#include <algorithm>
#include <bit>

namespace tcd::emu {
namespace {

void join(Limits& into, const Limits& from) {
  for (size_t c = 0; c < into.size(); ++c) into[c] = std::max(into[c], from[c]);
}

}  // namespace

void SyncClocks::start(uint32_t warps) {
  warps_ = warps;
  const int32_t before = stamp();
  ++time_;
  for (uint32_t w = 0; w < warps; ++w) {
    limits_[w].fill(before);
    limits_[w][w] = kUnlimited;
  }
  barriers_ = {};
  objects_.clear();
  mixed_.fill(0);
  everything_.fill(0);
}

void SyncClocks::restart() {
  const std::array<Barrier, 16> arrived = barriers_;
  time_ = 0;
  start(warps_);
  for (size_t i = 0; i < arrived.size(); ++i) barriers_[i].waiting = arrived[i].waiting;
}

int32_t SyncClocks::floor(uint32_t warp) const {
  const Limits& l = limits_[warp];
  int32_t least = l[kMaxWarps + warp];
  for (uint32_t w = 0; w < warps_; ++w) {
    least = std::min(least, std::min(l[w], l[kMaxWarps + w]));  // its own limit is unlimited
  }
  return least;
}

void SyncClocks::raise(uint32_t warp, const Limits& to) {
  join(limits_[warp], to);
  limits_[warp][warp] = kUnlimited;
}

void SyncClocks::give(uint32_t warp, Limits& to) const {
  Limits mine = limits_[warp];
  mine[warp] = mine[kMaxWarps + warp] = stamp();
  join(to, mine);
}

void SyncClocks::arrive(uint32_t warp, uint32_t barrier, bool arrive_only) {
  Barrier& b = barriers_[barrier];
  if (!arrive_only) {
    b.waiting |= 1u << warp;
    return;
  }
  if (!b.has_given) b.given.fill(0);
  b.has_given = true;
  give(warp, b.given);
  ++time_;
}

uint32_t SyncClocks::complete(uint32_t barrier, uint32_t ended) {
  Barrier& b = barriers_[barrier];
  const uint32_t waiting = b.waiting;
  if (is_full(barrier, ended)) {
    for (uint32_t rest = waiting; rest != 0; rest &= rest - 1) {
      const auto w = static_cast<uint32_t>(std::countr_zero(rest));
      limits_[w].fill(stamp());
      limits_[w][w] = kUnlimited;
    }
  } else {
    if (!b.has_given) b.given.fill(0);
    for (uint32_t rest = waiting | ended; rest != 0; rest &= rest - 1) {
      give(static_cast<uint32_t>(std::countr_zero(rest)), b.given);
    }
    for (uint32_t rest = waiting; rest != 0; rest &= rest - 1) {
      raise(static_cast<uint32_t>(std::countr_zero(rest)), b.given);
    }
  }
  b.waiting = 0;
  b.has_given = false;
  ++time_;
  return waiting;
}

void SyncClocks::sync_warp(uint32_t warp) {
  limits_[warp][kMaxWarps + warp] = stamp();
  ++time_;
}

void SyncClocks::release(uint32_t warp, uint32_t address) {
  if (address == kMixed) {
    give(warp, mixed_);
  } else {
    give(warp, objects_.try_emplace(address, Limits{}).first->second);
  }
  give(warp, everything_);
  ++time_;
}

void SyncClocks::acquire(uint32_t warp, uint32_t address) {
  if (address == kMixed) {
    raise(warp, everything_);
    return;
  }
  raise(warp, mixed_);
  if (const auto found = objects_.find(address); found != objects_.end()) {
    raise(warp, found->second);
  }
}

}  // namespace tcd::emu
