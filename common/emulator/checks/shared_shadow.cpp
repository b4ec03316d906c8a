#include "checks/shared_shadow.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "checks/copied_values.h"
#include "machine/cta.h"
#include "machine/each_lane.h"
#include "machine/memory_flags.h"

namespace tcd::emu {
namespace {

constexpr uint32_t kGlobalMemory = 0xfffffffeu;  // no shared address: it is no multiple of 4

// What lanes synchronise through: the one address they use, or kMixed.
uint32_t object_of(uint32_t mask, const uint32_t* addresses) {
  const uint32_t first = addresses[std::countr_zero(mask)];
  bool same = true;
  each_lane(mask, [&](uint32_t i) { same &= addresses[i] == first; });
  return same ? first : SyncClocks::kMixed;
}

template <class T>
void repeat(std::vector<T>& values, uint32_t times) {
  std::vector<T> more(values.size() * times);
  for (size_t i = 0; i < more.size(); ++i) more[i] = values[i / times];
  values = std::move(more);
}

}  // namespace

SharedShadow::SharedShadow(Cta& cta, const CheckSettings& settings, uint32_t shared_bytes,
                           uint32_t warps)
    : cta_(cta), settings_(settings), warps_(warps), views_(warps), logs_(warps) {
  const uint32_t count = (shared_bytes >> kRegionShift) + 1;
  regions.resize(count);
  readers.resize(count);
  stride = count << kRegionShift >> shift;
  while (shared_bytes >> log_shift > 0xffff) ++log_shift;
  writes.resize(stride);
  writers.resize(stride);
  reads_.resize(size_t{stride} * warps);
}

void SharedShadow::start() {
  if (clocks_.now() > kLastTime / 2) {
    std::fill(reads_.begin(), reads_.end(), 0);
    clocks_.restart();
  }
  std::fill(writes.begin(), writes.end(), kNeverWritten);
  suspects_.clear();
  lanes_meet = false;
  clocks_.start(warps_);
  ordered_ = clocks_.floor(0);
  std::fill(regions.begin(), regions.end(), Region::kUnknown);
  ++cta_run;
  for (uint32_t w = 0; w < warps_; ++w) {
    views_[w] = {};
    views_[w].cta = this;
    views_[w].reads = reads_.data() + size_t{w} * stride;
    views_[w].floor = ordered_;
    views_[w].self = static_cast<int32_t>(w << kPartyShift);
    views_[w].lane_floor = ordered_;
    views_[w].log = &logs_[w];
  }
  forget_reads();
}

// --- Synchronisation -------------------------------------------------------------------------

void SharedShadow::refresh(uint32_t warps) {
  each_lane(warps, [&](uint32_t w) { views_[w].floor = clocks_.floor(w); });
  if (!clocks_.nearly_full()) return;
  // Half a million synchronisations in one CTA: forget the order of what is past.
  clocks_.restart();
  ordered_ = clocks_.floor(0);
  std::fill(reads_.begin(), reads_.end(), 0);
  forget_reads();
  for (int32_t& record : writes) {
    if (record != kNeverWritten && !is_pending(record)) record &= kRestMask;
  }
  for (uint32_t w = 0; w < warps_; ++w) {
    views_[w].floor = clocks_.floor(w);
    views_[w].lane_floor = ordered_;
  }
}

void SharedShadow::order_lanes(uint32_t warp) {
  views_[warp].landed = views_[warp].wrote = false;
  views_[warp].lane_floor = (clocks_.now() - 1) << kTimeShift | kRestMask;
}

// An mbarrier, a flag or a lock may order lanes of one warp as it may order warps.
void SharedShadow::order_own_writes(uint32_t warp) {
  if (!views_[warp].wrote) return;
  clocks_.advance();
  views_[warp].wrote = false;
  views_[warp].lane_floor = (clocks_.now() - 1) << kTimeShift | kRestMask;
}

void SharedShadow::forget_reads() {
  std::fill(readers.begin(), readers.end(), 0u);
  for (WarpShadow& view : views_) view.logged = 0, view.last_read = 0;
}

void SharedShadow::barrier_arrived(uint32_t warp, uint32_t barrier, bool arrive_only) {
  if (arrive_only) flush(warp);
  clocks_.arrive(warp, barrier, arrive_only);
  if (arrive_only) refresh(0);
}

void SharedShadow::barrier_completed(uint32_t barrier, uint32_t ended_warps) {
  const bool full = clocks_.is_full(barrier, ended_warps);
  if (!full) flush_all();
  const uint32_t raised = clocks_.complete(barrier, ended_warps);
  if (full && raised != 0) {
    forget_reads();
    ordered_ = clocks_.floor(static_cast<uint32_t>(std::countr_zero(raised)));
  }
  each_lane(raised, [&](uint32_t w) { order_lanes(w); });
  refresh(raised);
}

void SharedShadow::warp_synchronised(uint32_t warp) {
  if (!views_[warp].landed && !views_[warp].wrote) return;
  clocks_.sync_warp(warp);
  order_lanes(warp);
  refresh(1u << warp);
}

void SharedShadow::global_synchronisation(uint32_t warp, bool acquires, bool releases) {
  if (acquires) {
    clocks_.acquire(warp, kGlobalMemory);
    order_own_writes(warp);
  }
  if (releases) {
    flush(warp);
    clocks_.release(warp, kGlobalMemory);
  }
  refresh(1u << warp);
}

// --- Accesses --------------------------------------------------------------------------------

WrittenBefore& SharedShadow::written_before(uint32_t warp, uint32_t slot) {
  if (written_before_.empty()) written_before_.resize(size_t{cta_.launch->slots} * warps_);
  return written_before_[size_t{slot} * warps_ + warp];
}

void SharedShadow::flush(uint32_t warp) {
  WarpShadow& view = views_[warp];
  if (view.logged == 0) return;
  const ReadLog& log = *view.log;
  const int32_t time = clocks_.now() << kTimeShift;
  for (uint32_t n = 0; n < view.logged; ++n) {
    const int32_t record = time | log.slots[n];
    const uint32_t units = log.bytes[n] >> shift;
    each_lane(log.masks[n], [&](uint32_t i) {
      const uint32_t first = uint32_t{log.addresses[n].lane[i]} << log_shift >> shift;
      for (uint32_t k = 0; k < units; ++k) view.reads[first + k] = record;
    });
  }
  view.logged = 0;
  view.last_read = time | kRestMask;
}

void SharedShadow::flush_all() {
  for (uint32_t w = 0; w < warps_; ++w) flush(w);
}

void SharedShadow::refine(uint32_t bytes) {
  const auto finer = static_cast<uint32_t>(std::countr_zero(bytes));
  const uint32_t times = 1u << (shift - finer);
  repeat(writes, times);
  repeat(writers, times);
  repeat(reads_, times);
  shift = finer;
  stride *= times;
  for (uint32_t w = 0; w < warps_; ++w) views_[w].reads = reads_.data() + size_t{w} * stride;
}

CheckReport SharedShadow::about(Warp& warp, const MicroOp* op, uint32_t lane, uint32_t address,
                                uint32_t bytes) const {
  CheckReport r;
  r.op = op;
  r.code = warp.frame->code;
  r.cta = cta_.index;
  r.warp = warp.id;
  r.lane = lane;
  r.address = address;
  r.bytes = bytes;
  return r;
}

Party SharedShadow::writer_of(uint32_t unit) const {
  Party p;
  p.warp = static_cast<int>(party_of(writes[unit]) % kMaxWarps);
  p.lane = writes[unit] & 31;
  p.slot = writers[unit] & kMostSlots;
  return p;
}

// The copy that is to fill this unit: how long ago was it committed?
void SharedShadow::describe_copy(uint32_t unit, CheckReport& report) const {
  report.other = writer_of(unit);
  const Warp& owner = *cta_.warps[static_cast<size_t>(report.other.warp)];
  const auto lane = static_cast<uint32_t>(report.other.lane);
  const uint32_t address = unit << shift;
  for (const AsyncCopy& copy : owner.copies) {
    if ((copy.lanes >> lane & 1) == 0 || address - copy.destination[lane] >= copy.bytes) continue;
    const uint32_t group = copy.group[lane];
    report.later_groups = group >= owner.committed[lane] ? CheckReport::kUncommitted
                          : group >= owner.waited[lane]
                              ? CheckReport::kNoWaitSince
                              : static_cast<int>(owner.waited[lane] - group) - 1;
  }
}

bool SharedShadow::is_partly_written(uint32_t address, uint32_t bytes) const {
  const auto first = writes.begin() + (address >> shift);
  return !std::all_of(first, first + std::max(bytes >> shift, 1u),
                      [](int32_t record) { return record == kNeverWritten; });
}

// An unwritten unit beside a written one, and the instruction only copies.
bool SharedShadow::is_padding(const Warp& warp, const MicroOp* op, uint32_t unit, uint32_t bytes) {
  const uint32_t block = padding_block(bytes);
  if (!is_partly_written(unit << shift & ~(block - 1), block)) return false;
  const auto [at, is_new] = copies_.try_emplace(op, false);
  if (is_new) at->second = is_only_copied(*warp.frame->code->function, op->source);
  return at->second;
}

void SharedShadow::judge_read(Warp& warp, const MicroOp* op, uint32_t mask,
                              const uint32_t* addresses, uint32_t bytes, bool strong) {
  const Limits& limits = clocks_.limits(warp.id);
  const uint32_t units = std::max(bytes >> shift, 1u);
  uint32_t told = 0;  // findings, by bit: one of each kind an instruction
  const auto tell = [&](Finding finding, bool wanted, uint32_t lane, uint32_t unit) {
    if (!wanted || (told >> static_cast<int>(finding) & 1) != 0) return;
    told |= 1u << static_cast<int>(finding);
    CheckReport r = about(warp, op, lane, addresses[lane], bytes);
    r.finding = finding;
    r.partly_written = is_partly_written(addresses[lane], bytes);
    if (finding == Finding::kCopyRead) {
      describe_copy(unit, r);
    } else if (finding != Finding::kUninitialisedShared) {
      r.other = writer_of(unit);
    }
    found(warp, r);
  };
  each_lane(mask, [&](uint32_t lane) {
    for (uint32_t k = 0; k < units; ++k) {
      const uint32_t unit = (addresses[lane] >> shift) + k;
      const int32_t record = writes[unit];
      const uint32_t party = party_of(record);
      if (record == kNeverWritten) {
        // An atomic on a byte or a half is one on its word (cuda::atomic_ref): the rest is put
        // back.
        if (strong && is_partly_written(addresses[lane], bytes)) continue;
        if (is_padding(warp, op, unit, bytes)) continue;
        tell(Finding::kUninitialisedShared, settings_.uninitialised, lane, unit);
      } else if (is_pending(record)) {
        tell(Finding::kCopyRead, settings_.async, lane, unit);
      } else if (party == warp.id) {
        const bool ordered = record <= views_[warp.id].lane_floor || strong ||
                             (record & 31) == static_cast<int>(lane) ||
                             (writers[unit] & kStrongWriter) != 0;
        if (!ordered) tell(Finding::kLanesUnordered, settings_.races, lane, unit);
      } else if (record <= limits[party]) {
        continue;
      } else if (party >= static_cast<uint32_t>(kMaxWarps)) {
        const bool own = party == kMaxWarps + warp.id && (record & 31) == static_cast<int>(lane);
        if (!own) tell(Finding::kCopyUnpublished, settings_.async, lane, unit);
      } else if (!strong) {
        tell(Finding::kReadAfterWrite, settings_.races, lane, unit);
      }
    }
  });
}

void SharedShadow::mark_shared_place(uint32_t mask, const uint32_t* addresses, uint32_t bytes) {
  each_lane(mask, [&](uint32_t lane) {
    const uint32_t first = addresses[lane] >> shift;
    for (uint32_t k = 0; k < std::max(bytes >> shift, 1u); ++k) writers[first + k] |= kStrongWriter;
  });
}

// Fills finding and other party; false: nothing is wrong with writing this unit.
bool SharedShadow::find_conflict(uint32_t warp, uint32_t unit, bool strong,
                                 CheckReport& report) const {
  const Limits& limits = clocks_.limits(warp);
  const int32_t record = writes[unit];
  if (record != kNeverWritten) {
    const uint32_t party = party_of(record);
    if (is_pending(record)) {
      if (!settings_.async) return false;
      report.finding = Finding::kCopyOverwritten;
      describe_copy(unit, report);
      return true;
    }
    const bool both_strong = strong && (writers[unit] & kStrongWriter) != 0;
    const bool ordered = record <= limits[party] || party == kMaxWarps + warp || both_strong;
    if (!ordered && settings_.races) {
      report.finding = Finding::kWriteAfterWrite;
      report.other = writer_of(unit);
      return true;
    }
  }
  if (!settings_.races) return false;
  for (uint32_t r = 0; r < warps_; ++r) {
    const int32_t read = reads_[size_t{r} * stride + unit];
    if (read <= limits[r]) continue;
    report.finding = Finding::kWriteAfterRead;
    const auto slot = static_cast<uint32_t>(read & kRestMask);
    report.other = {static_cast<int>(r), -1, slot == kRestMask ? 0 : slot};
    return true;
  }
  return false;
}

void SharedShadow::judge_write(Warp& warp, const MicroOp* op, uint32_t mask,
                               const uint32_t* addresses, uint32_t bytes, AccessKind kind) {
  flush_all();
  const uint32_t units = std::max(bytes >> shift, 1u);
  const bool strong = kind == AccessKind::kAtomic || (op->flags & kStrong) != 0;
  bool told = false;
  each_lane(mask, [&](uint32_t lane) {
    for (uint32_t k = 0; k < units; ++k) {
      CheckReport r = about(warp, op, lane, addresses[lane], bytes);
      r.copies = kind == AccessKind::kAsyncCopy;
      if (told || !find_conflict(warp.id, (addresses[lane] >> shift) + k, strong, r)) continue;
      // Writing what is there already (`found = true` by several threads) harms nobody.
      if (kind == AccessKind::kStore && r.finding != Finding::kCopyOverwritten) {
        Suspect& suspect = suspects_.emplace_back(Suspect{r, {}});
        std::memcpy(suspect.before, warp.shared + addresses[lane],
                    std::min<size_t>(bytes, sizeof suspect.before));
        return;
      }
      told = true;
      found(warp, r);
    }
  });
}

void SharedShadow::judge_stored(Warp& warp, const MicroOp* op, uint32_t mask,
                                const uint32_t* addresses, uint32_t bytes,
                                const std::byte* values) {
  const std::vector<Suspect> suspects = std::move(suspects_);
  const bool met = lanes_meet;
  forget_suspects();
  for (const Suspect& suspect : suspects) {
    const CheckReport& r = suspect.report;
    if (std::memcmp(warp.shared + r.address, suspect.before, r.bytes) == 0) continue;
    found(warp, r);
    break;
  }
  if (!met || !settings_.races) return;
  bool told = false;
  each_lane(mask, [&](uint32_t lane) {
    if (told ||
        std::memcmp(warp.shared + addresses[lane], values + size_t{lane} * 32, bytes) == 0) {
      return;
    }
    told = true;
    CheckReport r = about(warp, op, lane, addresses[lane], bytes);
    r.finding = Finding::kLanesMeet;
    r.other = writer_of(addresses[lane] >> shift);
    found(warp, r);
  });
}

// --- Accesses that order ---------------------------------------------------------------------

void SharedShadow::record_strong_write(Warp& warp, const MicroOp* op, uint32_t mask,
                                       const uint32_t* addresses, uint32_t bytes) {
  const int32_t record = clocks_.now() << kTimeShift | views_[warp.id].self;
  const auto slot = static_cast<uint16_t>(op->slot < kMostSlots ? op->slot : 0);
  each_lane(mask, [&](uint32_t lane) {
    const uint32_t first = addresses[lane] >> shift;
    regions[addresses[lane] >> kRegionShift] = Region::kUnknown;
    for (uint32_t k = 0; k < std::max(bytes >> shift, 1u); ++k) {
      // An own plain write just before stays the one to judge: others are not ordered after it.
      const bool hides = (writers[first + k] & kStrongWriter) == 0 &&
                         (writes[first + k] & kPartyMask) == views_[warp.id].self &&
                         writes[first + k] > ordered_;
      if (hides) continue;
      writes[first + k] = record | static_cast<int32_t>(lane);
      writers[first + k] = slot | kStrongWriter;
    }
  });
}

// Judged before it takes what others have released: an atomic is no barrier for what its own place
// held before.
void SharedShadow::atomic(Warp& warp, const MicroOp* op, uint32_t mask, const uint32_t* addresses,
                          uint32_t bytes) {
  if (bytes < 1u << shift) refine(bytes);
  if (settings_.uninitialised) {
    const uint32_t never = [&] {
      uint32_t lanes = 0;
      each_lane(mask, [&](uint32_t i) {
        lanes |= uint32_t{writes[addresses[i] >> shift] == kNeverWritten} << i;
      });
      return lanes;
    }();
    if (never != 0) judge_read(warp, op, never, addresses, bytes, true);
  }
  judge_write(warp, op, mask, addresses, bytes, AccessKind::kAtomic);
  cta_.warps_may_meet();
  const uint32_t object = object_of(mask, addresses);
  clocks_.acquire(warp.id, object);
  order_own_writes(warp.id);
  record_strong_write(warp, op, mask, addresses, bytes);
  flush(warp.id);
  clocks_.release(warp.id, object);
  refresh(1u << warp.id);
}

void SharedShadow::strong_load(Warp& warp, const MicroOp* op, uint32_t mask,
                               const uint32_t* addresses, uint32_t bytes) {
  cta_.warps_may_meet();
  if (bytes < 1u << shift) refine(bytes);
  clocks_.acquire(warp.id, object_of(mask, addresses));
  order_own_writes(warp.id);
  refresh(1u << warp.id);
  judge_read(warp, op, mask, addresses, bytes, true);
}

void SharedShadow::strong_store(Warp& warp, const MicroOp* op, uint32_t mask,
                                const uint32_t* addresses, uint32_t bytes) {
  cta_.warps_may_meet();
  if (bytes < 1u << shift) refine(bytes);
  forget_suspects();
  judge_write(warp, op, mask, addresses, bytes, AccessKind::kStore);
  record_strong_write(warp, op, mask, addresses, bytes);
  flush(warp.id);
  clocks_.release(warp.id, object_of(mask, addresses));
  refresh(1u << warp.id);
}

}  // namespace tcd::emu
