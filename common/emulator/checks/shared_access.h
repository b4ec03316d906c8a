// What a shared memory instruction does to the shadow, as fast as it goes: check that all records
// are ordered before the warp, then leave its own. Compiled once per instruction set, as exec/ is.
//
// Cost of an ldmatrix in a tile that was filled before the last barrier: a look at one to three
// regions and 64 bytes of log.
#pragma once

#include <emmintrin.h>

#include "checks/shared_shadow.h"
#include "machine/exec/lanes.h"
#include "machine/memory_flags.h"
#include "machine/warp.h"

namespace tcd::emu::TCD_ISA_NAMESPACE {

inline __m128i load4(const s32* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); }
inline void store4(s32* p, __m128i v) { _mm_storeu_si128(reinterpret_cast<__m128i*>(p), v); }

// How the units of an access lie: one run of them, or `units` at each lane's place.
struct UnitRuns {
  u32 units;      // a lane
  bool adjacent;  // lane i's follow those of lane i - 1, all lanes active

  UnitRuns(const SharedShadow& s, u32 mask, const u32* a, u32 bytes) {
    units = bytes >> s.shift;
    u32 off = mask != kAllLanes;
    for (int i = 0; i < kLanes; ++i) off |= (a[i] - a[0]) ^ (u32(i) * bytes);
    adjacent = off == 0;
  }
  // What to add to `lane` of four(unit, lane) for each of its units: adjacent lanes with less than
  // four units count up.
  __m128i lane_steps() const {
    return !adjacent || units >= 4 ? _mm_setzero_si128()
           : units == 1            ? _mm_setr_epi32(0, 1, 2, 3)
                                   : _mm_setr_epi32(0, 0, 1, 1);
  }
  // four(unit, lane) for groups of four units that begin in `lane`, one(unit, lane) for what is
  // less.
  template <class Four, class One>
  void each(const SharedShadow& s, u32 mask, const u32* a, const Four& four, const One& one) const {
    if (adjacent) {
      const u32 first = a[0] >> s.shift, end = first + kLanes * units;
      const int each_shift = std::countr_zero(units);
      for (u32 u = first; u < end; u += 4) four(u, (u - first) >> each_shift);
    } else if (units % 4 == 0) {
      each_lane(mask, [&](int i) {
        const u32 first = a[i] >> s.shift;
        for (u32 k = 0; k < units; k += 4) four(first + k, u32(i));
      });
    } else {
      each_lane(mask, [&](int i) {
        const u32 first = a[i] >> s.shift;
        for (u32 k = 0; k < units; ++k) one(first + k, u32(i));
      });
    }
  }
};

// Regions that an access may touch: those between its lowest and its highest byte.
struct RegionSpan {
  u32 first, last;
  RegionSpan(u32 mask, const u32* a, u32 bytes) {
    u32 low = ~0u, high = 0;
    if (mask == kAllLanes) {
      for (int i = 0; i < kLanes; ++i) {
        low = a[i] < low ? a[i] : low;
        high = a[i] > high ? a[i] : high;
      }
    } else {
      for (int i = 0; i < kLanes; ++i) {
        const bool active = (mask & kLaneBit[i]) != 0;
        low = active && a[i] < low ? a[i] : low;
        high = active && a[i] > high ? a[i] : high;
      }
    }
    first = low >> kRegionShift;
    last = (high + bytes - 1) >> kRegionShift;
  }
};

// The worst state of these regions, after looking again at those that are unknown.
[[gnu::noinline]] inline Region verify(SharedShadow& s, const RegionSpan& span) {
  const u32 units = 1u << (kRegionShift - s.shift);  // at least 64
  const s32 ordered = s.ordered();
  Region worst = Region::kOrdered;
  for (u32 g = span.first; g <= span.last; ++g) {
    if (s.regions[g] == Region::kUnknown) {
      const s32* at = s.writes.data() + size_t{g} * units;
      s32 late = 0, holes = 0;
      for (u32 k = 0; k < units && late == 0; k += 64) {
        for (u32 u = k; u < k + 64; ++u) {
          const s32 hole = at[u] == kNeverWritten ? -1 : 0;
          holes |= hole;
          late |= (at[u] > ordered ? -1 : 0) & ~hole;
        }
      }
      if (late != 0) return Region::kUnknown;
      s.regions[g] = holes != 0 ? Region::kWithHoles : Region::kOrdered;
    }
    worst = s.regions[g] < worst ? s.regions[g] : worst;
  }
  return worst;
}

// Has everything there been written, and is it ordered before this warp, and what other lanes of
// the warp wrote before this lane?
inline bool may_read(const WarpShadow& me, u32 mask, const u32* a, u32 bytes) {
  const SharedShadow& s = *me.cta;
  const s32* writes = s.writes.data();
  const s32 floor = me.floor, self = me.self, lane_floor = me.lane_floor;
  const __m128i floor4 = _mm_set1_epi32(floor), lane_floor4 = _mm_set1_epi32(lane_floor),
                self4 = _mm_set1_epi32(self), party4 = _mm_set1_epi32(kPartyMask),
                rest4 = _mm_set1_epi32(kRestMask);
  __m128i bad4 = _mm_setzero_si128();
  bool bad = false;
  const UnitRuns runs(s, mask, a, bytes);
  const __m128i steps = runs.lane_steps();
  runs.each(
      s, mask, a,
      [&](u32 u, u32 lane) {
        const __m128i written = load4(writes + u);
        const __m128i lane4 = _mm_or_si128(self4, _mm_add_epi32(_mm_set1_epi32(s32(lane)), steps));
        const __m128i mine = _mm_cmpeq_epi32(_mm_and_si128(written, rest4), lane4);
        const __m128i own = _mm_cmpeq_epi32(_mm_and_si128(written, party4), self4);
        const __m128i fine =
            _mm_or_si128(mine, _mm_andnot_si128(_mm_cmpgt_epi32(written, lane_floor4), own));
        bad4 = _mm_or_si128(bad4, _mm_andnot_si128(fine, _mm_cmpgt_epi32(written, floor4)));
      },
      [&](u32 u, u32 lane) {
        const s32 written = writes[u];
        const bool own = (written & kPartyMask) == self && written <= lane_floor;
        bad |= written > floor && !own && (written & kRestMask) != (self | s32(lane));
      });
  return !bad && _mm_movemask_epi8(bad4) == 0;
}

inline void record_read(WarpShadow& me, u32 slot, u32 mask, const u32* a, u32 bytes,
                        const PackedAddresses& packed) {
  SharedShadow& s = *me.cta;
  const u32 slot12 = slot < u32(kRestMask) ? slot : u32(kRestMask);
  if (__builtin_expect(s.shift < s.log_shift, 0)) {
    const s32 record = s.now() << kTimeShift | s32(slot12);
    const u32 units = bytes >> s.shift;
    each_lane(mask, [&](int i) {
      const u32 first = a[i] >> s.shift;
      for (u32 k = 0; k < units; ++k) me.reads[first + k] = record;
    });
    me.last_read = record;
    return;
  }
  if (__builtin_expect(me.logged == ReadLog::kCapacity, 0)) s.flush(u32(me.self) >> kPartyShift);
  ReadLog& log = *me.log;
  const u32 n = me.logged++;
  log.addresses[n] = packed;
  log.masks[n] = mask;
  log.slots[n] = static_cast<u16>(slot12);
  log.bytes[n] = static_cast<u16>(bytes);
}

inline bool same_addresses(const PackedAddresses& x, const PackedAddresses& y) {
  return std::memcmp(x.lane, y.lane, sizeof x.lane) == 0;
}

// In padded tiles: has this instruction read these very places before?
inline bool may_read_beside_holes(Warp& w, const MicroOp* op, u32 mask, const u32* a, u32 bytes,
                                  const PackedAddresses& packed) {
  SharedShadow& s = *w.shadow->cta;
  WrittenBefore& before = s.written_before(w.id, op->slot);
  if (before.cta_run == s.cta_run && before.mask == mask && s.shift >= s.log_shift &&
      same_addresses(before.addresses, packed)) {
    return true;
  }
  if (!may_read(*w.shadow, mask, a, bytes)) return false;
  before.addresses = packed;
  before.cta_run = s.cta_run;
  before.mask = mask;
  return true;
}

inline void note_read(Warp& w, const MicroOp* op, u32 mask, const u32* a, u32 bytes) {
  WarpShadow& me = *w.shadow;
  SharedShadow& s = *me.cta;
  if (__builtin_expect(bytes < 1u << s.shift, 0)) s.refine(bytes);
  PackedAddresses packed;
  for (int i = 0; i < kLanes; ++i) packed.lane[i] = static_cast<u16>(a[i] >> s.log_shift);
  const RegionSpan span(mask, a, bytes);
  const u32 bit = 1u << (me.self >> kPartyShift);
  bool simple = true;
  for (u32 g = span.first; g <= span.last; ++g) {
    simple &= s.regions[g] == Region::kOrdered;
    s.readers[g] |= bit;
  }
  if (__builtin_expect(!simple, 0)) {
    const Region worst = verify(s, span);
    const bool fine =
        worst == Region::kOrdered ||
        (worst == Region::kWithHoles ? may_read_beside_holes(w, op, mask, a, bytes, packed)
                                     : may_read(me, mask, a, bytes));
    if (!fine) s.judge_read(w, op, mask, a, bytes, false);
  }
  record_read(me, op->slot, mask, a, bytes, packed);
}

// Is every unit ordered before this warp, or its own, or new?
inline bool may_overwrite(const WarpShadow& me, u32 mask, const u32* a, const UnitRuns& runs) {
  SharedShadow& s = *me.cta;
  const s32* writes = s.writes.data();
  const s32 floor = me.floor, self = me.self;
  const __m128i floor4 = _mm_set1_epi32(floor), self4 = _mm_set1_epi32(self),
                party4 = _mm_set1_epi32(kPartyMask), never4 = _mm_set1_epi32(kNeverWritten);
  __m128i bad4 = _mm_setzero_si128();
  bool bad = false;
  runs.each(
      s, mask, a,
      [&](u32 u, u32) {
        const __m128i written = load4(writes + u);
        const __m128i free = _mm_or_si128(_mm_cmpeq_epi32(_mm_and_si128(written, party4), self4),
                                          _mm_cmpeq_epi32(written, never4));
        bad4 = _mm_or_si128(bad4, _mm_andnot_si128(free, _mm_cmpgt_epi32(written, floor4)));
      },
      [&](u32 u, u32) {
        const s32 written = writes[u];
        bad |= written > floor && (written & kPartyMask) != self && written != kNeverWritten;
      });
  return !bad && _mm_movemask_epi8(bad4) == 0;
}

// Are all reads by other warps ordered before this one?
inline bool is_read_out(Warp& w, u32 mask, const u32* a, const UnitRuns& runs) {
  SharedShadow& s = *w.shadow->cta;
  s.flush_all();
  __m128i bad4 = _mm_setzero_si128();
  bool bad = false;
  const Limits& limits = s.limits(w.id);
  for (u32 r = 0; r < s.warps(); ++r) {
    const s32 limit = limits[r];
    if (s.warp(r).last_read <= limit) continue;  // also the warp itself
    const s32* reads = s.reads() + size_t(r) * s.stride;
    const __m128i limit4 = _mm_set1_epi32(limit);
    runs.each(
        s, mask, a,
        [&](u32 u, u32) { bad4 = _mm_or_si128(bad4, _mm_cmpgt_epi32(load4(reads + u), limit4)); },
        [&](u32 u, u32) { bad |= reads[u] > limit; });
  }
  return !bad && _mm_movemask_epi8(bad4) == 0;
}

// The checks of a store or of a copy's issue; also forgets that the regions were verified.
inline void check_write(Warp& w, const MicroOp* op, u32 mask, const u32* a, u32 bytes,
                        AccessKind kind, const UnitRuns& runs) {
  SharedShadow& s = *w.shadow->cta;
  const RegionSpan span(mask, a, bytes);
  u32 readers = 0;
  bool ordered = true;
  for (u32 g = span.first; g <= span.last; ++g) {
    ordered &= s.regions[g] != Region::kUnknown;
    s.regions[g] = Region::kUnknown;
    readers |= s.readers[g];
  }
  if (__builtin_expect((readers & ~(1u << w.id)) != 0, 0) && !is_read_out(w, mask, a, runs)) {
    s.judge_write(w, op, mask, a, bytes, kind);
  } else if (!ordered && !may_overwrite(*w.shadow, mask, a, runs)) {
    s.judge_write(w, op, mask, a, bytes, kind);
  }
}

// Leaves `record` | lane and the instruction's slot.
inline void record_write(SharedShadow& s, u32 mask, const u32* a, const UnitRuns& runs, s32 record,
                         u32 slot) {
  s32* writes = s.writes.data();
  uint16_t* writers = s.writers.data();
  const auto slot16 = static_cast<uint16_t>(slot < s.kMostSlots ? slot : 0);
  const __m128i record4 = _mm_set1_epi32(record),
                slot4 = _mm_set1_epi16(static_cast<short>(slot16));
  const __m128i step4 = runs.lane_steps();
  runs.each(
      s, mask, a,
      [&](u32 u, u32 lane) {
        const __m128i lane4 = _mm_add_epi32(_mm_set1_epi32(s32(lane)), step4);
        store4(writes + u, _mm_or_si128(record4, lane4));
        _mm_storel_epi64(reinterpret_cast<__m128i*>(writers + u), slot4);
      },
      [&](u32 u, u32 lane) {
        writes[u] = record | s32(lane);
        writers[u] = slot16;
      });
}

inline void note_write(Warp& w, const MicroOp* op, u32 mask, const u32* a, u32 bytes,
                       AccessKind kind) {
  WarpShadow& me = *w.shadow;
  SharedShadow& s = *me.cta;
  if (__builtin_expect(bytes < 1u << s.shift, 0)) s.refine(bytes);
  s.forget_suspects();
  const UnitRuns runs(s, mask, a, bytes);
  check_write(w, op, mask, a, bytes, kind, runs);
  record_write(s, mask, a, runs, s.now() << kTimeShift | me.self, op->slot);
  me.wrote = true;
  if (runs.adjacent || (mask & (mask - 1)) == 0) return;
  u32 met = 0;
  each_lane(mask, [&](int i) { met |= (u32(s.writes[a[i] >> s.shift]) & 31) ^ u32(i); });
  s.lanes_meet = met != 0;
  if (met != 0) s.mark_shared_place(mask, a, bytes);
}

inline s32 copy_party(const WarpShadow& me) { return me.self + (kMaxWarps << kPartyShift); }

inline void note_copy(Warp& w, const MicroOp* op, u32 mask, const u32* a, u32 bytes) {
  WarpShadow& me = *w.shadow;
  SharedShadow& s = *me.cta;
  if (__builtin_expect(bytes < 1u << s.shift, 0)) s.refine(bytes);
  const UnitRuns runs(s, mask, a, bytes);
  check_write(w, op, mask, a, bytes, AccessKind::kAsyncCopy, runs);
  record_write(s, mask, a, runs, kPendingTime << kTimeShift | copy_party(me), op->slot);
}

// The wait has come: from now on the thread itself may read, after a barrier all.
[[gnu::noinline]] inline void note_landed(Warp& w, const MicroOp* op, u32 lanes, const u32* a,
                                          u32 bytes) {
  WarpShadow& me = *w.shadow;
  SharedShadow& s = *me.cta;
  record_write(s, lanes, a, UnitRuns(s, lanes, a, bytes), s.now() << kTimeShift | copy_party(me),
               op->slot);
  me.landed = true;
}

[[gnu::noinline]] inline void note_shared(Warp& w, const MicroOp* op, u32 mask, const u32* a,
                                          u32 bytes, AccessKind kind) {
  const bool strong = (op->flags & kStrong) != 0;
  switch (kind) {
    case AccessKind::kLoad:
      if (strong) return w.shadow->cta->strong_load(w, op, mask, a, bytes);
      return note_read(w, op, mask, a, bytes);
    case AccessKind::kMatrix:
      return note_read(w, op, mask, a, bytes);
    case AccessKind::kStore:
      if (strong) return w.shadow->cta->strong_store(w, op, mask, a, bytes);
      return note_write(w, op, mask, a, bytes, kind);
    case AccessKind::kMatrixStore:
      note_write(w, op, mask, a, bytes, kind);
      return w.shadow->cta->mark_shared_place(mask, a, bytes);  // the values are all lanes'
    case AccessKind::kAtomic:
      return w.shadow->cta->atomic(w, op, mask, a, bytes);
    case AccessKind::kAsyncCopy:
      return note_copy(w, op, mask, a, bytes);
  }
}

}  // namespace tcd::emu::TCD_ISA_NAMESPACE
