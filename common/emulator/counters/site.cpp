#include "counters/site.h"

#include <algorithm>
#include <bit>

#include "counters/async_copy.h"
#include "counters/global_sectors.h"
#include "counters/shared_wavefronts.h"
#include "machine/each_lane.h"

namespace tcd::emu {
namespace {

void set_wavefronts(MemoryTotals& cost, const Wavefronts& w) {
  cost.wavefronts = std::max(w.needed, w.ideal);
  cost.ideal_wavefronts = w.ideal;
}

uint64_t bytes_of(uint32_t mask, uint32_t bytes) {
  return static_cast<uint64_t>(std::popcount(mask)) * bytes;
}

Wavefronts shared_cost(SiteKind kind, uint32_t mask, const uint32_t* addresses, uint32_t bytes) {
  switch (kind) {
    case SiteKind::kMatrixLoad:
    case SiteKind::kMatrixStore:
      return matrix_wavefronts(addresses, static_cast<uint32_t>(std::popcount(mask)) / 8);
    case SiteKind::kSharedStore:
      return shared_store_wavefronts(mask, addresses, bytes);
    default:
      return shared_load_wavefronts(mask, addresses, bytes);
  }
}

}  // namespace

Pattern& Site::begin(int which, SiteKind kind, uint32_t mask) {
  Pattern& p = patterns[which];
  if (p.repeats != 0) totals[static_cast<size_t>(p.kind)].add(p.cost, p.repeats);
  p = {};
  p.kind = kind;
  p.mask = mask;
  p.repeats = 1;
  p.cost.executed = 1;
  return p;
}

void Site::learn_shared(SiteKind kind, uint32_t mask, const uint32_t* addresses, uint32_t bytes) {
  Pattern& p = begin(0, kind, mask);
  const uint32_t base = addresses[std::countr_zero(mask)] & ~(kSharedStep - 1);
  each_lane(mask, [&](int i) { p.offsets[i] = addresses[i] - base; });
  set_wavefronts(p.cost, shared_cost(kind, mask, addresses, bytes));
  p.cost.bytes = bytes_of(mask, bytes);
}

void Site::learn_global(SiteKind kind, uint32_t mask, const uint64_t* addresses, uint32_t bytes,
                        const Window* generic) {
  Pattern& p = begin(0, kind, mask);
  const uint64_t base = addresses[std::countr_zero(mask)] & ~uint64_t{kGlobalStep - 1};
  uint32_t in_global = mask, in_shared = 0;
  uint32_t shared[32] = {};
  if (generic != nullptr) {
    p.in_window = base - generic->start < generic->bytes;
    each_lane(mask, [&](int i) {
      const uint64_t offset = addresses[i] - generic->start;
      if (offset >= generic->bytes) return;
      in_global &= ~(1u << i);
      if (offset >= generic->shared_bytes) return;
      in_shared |= 1u << i;
      shared[i] = static_cast<uint32_t>(offset);
    });
  }
  each_lane(mask, [&](int i) { p.offsets[i] = static_cast<uint32_t>(addresses[i] - base); });
  p.cost.sectors = global_sectors(in_global, addresses, bytes);
  p.cost.bytes = bytes_of(in_global, bytes);
  p.cost.executed = (in_global | in_shared) != 0;  // else: local memory or parameters
  if (in_shared != 0) {
    p.kind = kind == SiteKind::kGlobalLoad ? SiteKind::kSharedLoad : SiteKind::kSharedStore;
    set_wavefronts(p.cost, shared_cost(p.kind, in_shared, shared, bytes));
    p.cost.bytes += bytes_of(in_shared, bytes);
  }
}

void Site::learn_copy(uint32_t mask, const uint32_t* shared, const uint64_t* global,
                      const uint32_t* global_bytes, uint32_t bytes, bool bypass_l1) {
  uint32_t reading = 0, partial = 0;
  uint64_t total_bytes = 0;
  each_lane(mask, [&](int i) {
    reading |= uint32_t{global_bytes[i] != 0} << i;
    partial |= uint32_t{global_bytes[i] != 0 && global_bytes[i] < bytes} << i;
    total_bytes += global_bytes[i];
  });
  const uint64_t first_source = reading != 0 ? global[std::countr_zero(reading)] : 0;
  Pattern& p = begin(copy_pattern(first_source), SiteKind::kAsyncCopy, mask);
  // Partial copies are rare: their pattern gets a key that no execution has.
  p.reading = partial != 0 ? ~mask : reading;
  const uint32_t base = shared[std::countr_zero(mask)] & ~(kCopyStep - 1);
  const uint64_t source = first_source & ~uint64_t{kCopyStep - 1};
  each_lane(mask, [&](int i) { p.offsets[i] = shared[i] - base; });
  each_lane(reading, [&](int i) { p.sources[i] = static_cast<uint32_t>(global[i] - source); });
  p.cost.bytes = total_bytes;
  p.cost.sectors = global_sectors(reading & ~partial, global, bytes);
  each_lane(partial, [&](int i) { p.cost.sectors += global_sectors(1u << i, global, 1); });
  set_wavefronts(p.cost, bypass_l1 ? bypass_copy_wavefronts(reading, shared, global)
                                   : cached_copy_wavefronts(reading, shared, global, bytes));
}

void Site::flush() {
  for (Pattern& p : patterns) {
    if (p.repeats != 0) totals[static_cast<size_t>(p.kind)].add(p.cost, p.repeats);
    p.repeats = 0;
  }
}

}  // namespace tcd::emu
