#include "counters/cache_model.h"

#include <algorithm>

namespace tcd::emu {
namespace {

constexpr size_t kAccessesATurn = 32;
constexpr size_t kMostAccesses = size_t{1} << 27;  // 1 GiB, of all CTAs that run

uint32_t sectors_in(uint32_t mask) { return static_cast<uint32_t>(std::popcount(mask)); }

}  // namespace

void CacheTraffic::add(const CacheTraffic& o) {
  l1_lookups += o.l1_lookups;
  l1_hits += o.l1_hits;
  l2_reads += o.l2_reads;
  l2_writes += o.l2_writes;
  l2_atomics += o.l2_atomics;
  l2_hits += o.l2_hits;
  dram_reads += o.dram_reads;
  dram_writes += o.dram_writes;
  l2_dirty += o.l2_dirty;
}

SectorCache::SectorCache(uint64_t bytes)
    : capacity_(static_cast<uint32_t>(std::max<uint64_t>(bytes / kCacheLineBytes, 1))) {
  const auto slots = std::bit_ceil(uint64_t{capacity_} * 2);
  shift_ = 64 - std::countr_zero(slots);
  table_.resize(slots);
  entries_.reserve(64);
  entries_.push_back({});
}

uint32_t SectorCache::find(uint64_t line) const {
  for (size_t at = home(line);; at = (at + 1) & (table_.size() - 1)) {
    const uint32_t entry = table_[at];
    if (entry == 0 || entries_[entry].line == line) return entry;
  }
}

void SectorCache::insert(uint32_t entry) {
  size_t at = home(entries_[entry].line);
  while (table_[at] != 0) at = (at + 1) & (table_.size() - 1);
  table_[at] = entry;
}

// Leaves no gap in the chains that lead over the place.
void SectorCache::erase(uint64_t line) {
  const size_t mask = table_.size() - 1;
  size_t gap = home(line);
  while (entries_[table_[gap]].line != line) gap = (gap + 1) & mask;
  for (size_t at = (gap + 1) & mask; table_[at] != 0; at = (at + 1) & mask) {
    const size_t wanted = home(entries_[table_[at]].line);
    if (((at - wanted) & mask) < ((at - gap) & mask)) continue;
    table_[gap] = table_[at];
    gap = at;
  }
  table_[gap] = 0;
}

void SectorCache::unlink(uint32_t entry) {
  const Entry& e = entries_[entry];
  (e.newer != 0 ? entries_[e.newer].older : newest_) = e.older;
  (e.older != 0 ? entries_[e.older].newer : oldest_) = e.newer;
}

void SectorCache::push(uint32_t entry) {
  entries_[entry].newer = 0;
  entries_[entry].older = newest_;
  (newest_ != 0 ? entries_[newest_].newer : oldest_) = entry;
  newest_ = entry;
}

uint32_t SectorCache::touch(uint64_t line, uint32_t sectors, bool dirty) {
  uint32_t entry = find(line);
  if (entry == 0) {
    if (entries_.size() <= capacity_) {
      entry = static_cast<uint32_t>(entries_.size());
      entries_.push_back({});
    } else {
      entry = oldest_;
      unlink(entry);
      evicted_dirty_ += sectors_in(entries_[entry].dirty);
      erase(entries_[entry].line);
      entries_[entry] = {};
    }
    entries_[entry].line = line;
    insert(entry);
    push(entry);
  } else if (entry != newest_) {
    unlink(entry);
    push(entry);
  }
  Entry& e = entries_[entry];
  const uint32_t missing = sectors & ~uint32_t{e.present};
  e.present = static_cast<uint8_t>(e.present | sectors);
  if (dirty) e.dirty = static_cast<uint8_t>(e.dirty | sectors);
  return missing;
}

uint64_t SectorCache::dirty() const {
  uint64_t sum = 0;
  for (const Entry& e : entries_) sum += sectors_in(e.dirty);
  return sum;
}

CacheModel::CacheModel(const CacheShape& shape, uint64_t ctas, uint32_t slots)
    : shape_(shape),
      ctas_(ctas),
      trace_limit_(kMostAccesses / std::max<uint64_t>(std::min(shape.resident, ctas), 1)),
      places_(static_cast<size_t>(std::min(shape.resident, ctas))),
      l2_(shape.l2_bytes),
      by_slot_(std::min(slots, kMostSlots)) {
  if (shape.l1_bytes == 0) return;
  const uint64_t sms = std::min<uint64_t>(shape.sms, places_.size());
  for (uint64_t i = 0; i < sms; ++i) l1_.emplace_back(shape.l1_bytes);
}

void CacheModel::deliver(uint64_t cta, AccessTrace& trace) {
  const std::lock_guard lock(mutex_);
  waiting_ += trace.accesses().size();
  // One long CTA while many others end may pile up more than anybody wants to keep.
  if (trace.overflowed() || waiting_ > 2 * kMostAccesses) complete_ = false;
  if (!complete_) {
    delivered_.clear();
    return;
  }
  delivered_[cta] = trace.accesses();
  advance();
}

// Goes on until a CTA is needed that has not been delivered.
void CacheModel::advance() {
  while (next_ < ctas_ || running_ != 0) {
    Running& place = places_[turn_];
    if (place.is_idle && next_ < ctas_) {
      const auto found = delivered_.find(next_);
      if (found == delivered_.end()) return;
      place = {std::move(found->second), 0, false};
      waiting_ -= place.accesses.size();
      delivered_.erase(found);
      ++next_;
      ++running_;
    }
    if (!place.is_idle) replay(turn_, place);
    turn_ = turn_ + 1 == places_.size() ? 0 : turn_ + 1;
  }
  traffic_.dram_writes = l2_.evicted_dirty();
  traffic_.l2_dirty = l2_.dirty();
}

void CacheModel::replay(size_t place, Running& cta) {
  const auto sm = static_cast<uint32_t>(place % shape_.sms);
  const size_t end = std::min(cta.at + kAccessesATurn, cta.accesses.size());
  for (; cta.at < end; ++cta.at) access(sm, cta.accesses[cta.at]);
  if (cta.at < cta.accesses.size()) return;
  cta = {};
  --running_;
}

void CacheModel::access(uint32_t sm, const LineAccess& a) {
  CacheTraffic seen;
  auto sectors = static_cast<uint32_t>(a.sectors);
  const auto path = static_cast<AccessPath>(a.path);
  if (path == AccessPath::kLoad && !l1_.empty()) {
    seen.l1_lookups = sectors_in(sectors);
    sectors = l1_[sm].touch(a.line, sectors, false);
    seen.l1_hits = seen.l1_lookups - sectors_in(sectors);
  }
  if (sectors != 0) {
    const uint32_t missing = l2_.touch(a.line, sectors, path >= AccessPath::kStore);
    const uint64_t asked = sectors_in(sectors);
    if (path == AccessPath::kStore) {
      seen.l2_writes = asked;
    } else {
      (path == AccessPath::kAtomic ? seen.l2_atomics : seen.l2_reads) = asked;
      seen.dram_reads = sectors_in(missing);
      seen.l2_hits = asked - seen.dram_reads;
    }
  }
  traffic_.add(seen);
  by_slot_[std::min<size_t>(a.slot, by_slot_.size() - 1)].add(seen);
}

}  // namespace tcd::emu
