// From a row of addresses to host pointers, with bounds and alignment checked for all lanes at
// once. Three cases: all lanes in one run of bytes (one check, one copy), all lanes inside the
// allocation this instruction touched last (two reductions), anything else (out of line).
#pragma once

#include "checks/generic_access.h"
#include "checks/global_shadow.h"
#include "checks/global_writes.h"
#include "checks/shared_access.h"
#include "machine/exec/count.h"
#include "machine/exec/lanes.h"
#include "machine/memory_flags.h"

namespace tcd::emu::TCD_ISA_NAMESPACE {

struct Pointers {
  std::byte* run = nullptr;  // lane i is at run + i * bytes, unless null
  std::byte* lane[kLanes];   // otherwise
  std::byte* at(int i, u32 bytes) const { return run != nullptr ? run + u32(i) * bytes : lane[i]; }
};

inline ptx::Space space_of(const MicroOp* op) {
  if ((op->flags & kGenericSpace) != 0) return ptx::Space::kGeneric;
  return (op->flags & kConstSpace) != 0 ? ptx::Space::kConst : ptx::Space::kGlobal;
}

// Global instructions that may mean shared memory, or that may order accesses to it.
[[gnu::noinline]] inline void note_unusual(Warp& w, const MicroOp* op, u32 mask, const u64* a,
                                           u64 imm, u32 bytes, AccessKind kind) {
  u32 in_shared = 0;
  if ((op->flags & kGenericSpace) != 0 && w.shadow != nullptr) {
    u64 address[kLanes];
    for (int i = 0; i < kLanes; ++i) address[i] = a[i] + imm;
    in_shared = note_generic(w, op, mask, address, bytes, kind);
  }
  const bool atomic = kind == AccessKind::kAtomic;
  if ((!atomic && (op->flags & kStrong) == 0) || in_shared == mask) return;
  const bool gives = atomic || kind == AccessKind::kStore;
  w.cta->warps_may_meet();
  if (atomic && w.global != nullptr && w.global->notes_atomics()) {
    WatchedRange* const watched = w.caches[op->slot].watched;
    u64 address[kLanes];
    for (int i = 0; i < kLanes; ++i) address[i] = a[i] + imm;
    if (watched != nullptr) {
      w.global->note_atomic(w, op, mask & ~in_shared, address, bytes, watched);
      w.cta->warps_may_meet();
    }
  }
  if (w.shadow != nullptr) {
    w.shadow->cta->global_synchronisation(w.id, atomic || kind == AccessKind::kLoad, gives);
  }
  if (gives && w.global != nullptr && w.global->may_order()) {
    u64 address[kLanes];
    for (int i = 0; i < kLanes; ++i) address[i] = a[i] + imm;
    w.global->release(w, mask, address, (op->flags & kReleases) != 0);
  }
}

// After a strong load or an atomic has seen what others gave away.
inline void note_taken(Warp& w, const MicroOp* op, u32 mask) {
  if (w.global == nullptr || !w.global->may_order()) return;
  const u64* a = row<u64>(w, op->a);
  u64 address[kLanes];
  for (int i = 0; i < kLanes; ++i) address[i] = a[i] + static_cast<u64>(op->imm);
  w.global->acquire(w, mask, address);
}

// An allocation that checks look at. resolve_slow has noted what went there; stores into memory
// that other CTAs see are noted with their values (note_stored()).
[[gnu::noinline]] inline void note_checked(Warp& w, const MicroOp* op, u32 mask, const u64* a,
                                           u64 imm, u32 bytes, AccessKind kind) {
  const AccessCache& cache = w.caches[op->slot];
  u64 address[kLanes];
  for (int i = 0; i < kLanes; ++i) address[i] = a[i] + imm;
  if (cache.written != nullptr) {
    note_global(w, op, mask, address, bytes, kind, cache.lo, cache.written);
  }
  if (cache.watched != nullptr && kind == AccessKind::kLoad && (op->flags & kStrong) == 0) {
    w.global->note_read(w, op, mask, address, bytes, cache.watched);
  }
}

// A plain store of these values, `bytes` a lane, every 32, to where others may look.
inline void note_stored(Warp& w, const MicroOp* op, u32 mask, const u64* a, u64 imm, u32 bytes,
                        const std::byte* values) {
  const AccessCache& cache = w.caches[op->slot];
  u64 address[kLanes];
  for (int i = 0; i < kLanes; ++i) address[i] = a[i] + imm;
  w.global->note_write(w, op, mask, address, bytes, values, cache.watched);
}

// Global, constant or generic memory at a[lane] + imm. `bytes` is a power of two.
inline void resolve_at(Warp& w, const MicroOp* op, u32 mask, const u64* a, u64 imm, u32 bytes,
                       AccessKind kind, Pointers& out) {
  const AccessCache& cache = w.caches[op->slot];
  bool cached = true;
  if (__builtin_expect(mask == kAllLanes, 1)) {
    const u64 first = a[0];
    u64 off = 0;
    for (int i = 0; i < kLanes; ++i) off |= (a[i] - first) ^ (u64(i) * bytes);
    const u64 lo = first + imm;
    if (off == 0 && lo >= cache.lo && lo <= cache.hi - kLanes * u64{bytes} &&
        (lo & (bytes - 1)) == 0 && cache.hi - cache.lo >= kLanes * u64{bytes}) {
      out.run = reinterpret_cast<std::byte*>(lo + cache.delta);
    } else {
      u64 low = ~u64{0}, high = 0, misaligned = 0;
      for (int i = 0; i < kLanes; ++i) {
        const u64 v = a[i] + imm;
        low = v < low ? v : low;
        high = v > high ? v : high;
        misaligned |= v;
      }
      out.run = nullptr;
      if (low >= cache.lo && high <= cache.hi - bytes && (misaligned & (bytes - 1)) == 0) {
        const u64 shift = imm + cache.delta;
        for (int i = 0; i < kLanes; ++i) out.lane[i] = reinterpret_cast<std::byte*>(a[i] + shift);
      } else {
        alignas(64) u64 address[kLanes];
        for (int i = 0; i < kLanes; ++i) address[i] = a[i] + imm;
        resolve_slow(w, op, mask, address, bytes, kind, space_of(op), out.lane);
        cached = false;
      }
    }
  } else {
    out.run = nullptr;
    bool inside = true;
    each_lane(mask, [&](int i) {
      const u64 v = a[i] + imm;
      inside &= v >= cache.lo && v <= cache.hi - bytes && (v & (bytes - 1)) == 0;
      out.lane[i] = reinterpret_cast<std::byte*>(v + cache.delta);
    });
    if (!inside) {
      alignas(64) u64 address[kLanes];
      for (int i = 0; i < kLanes; ++i) address[i] = a[i] + imm;
      resolve_slow(w, op, mask, address, bytes, kind, space_of(op), out.lane);
      cached = false;
    }
  }
  if (__builtin_expect(cached && cache.is_checked(), 0)) {
    note_checked(w, op, mask, a, imm, bytes, kind);
  }
  if ((w.shadow != nullptr || w.global != nullptr) &&
      ((op->flags & (kGenericSpace | kStrong)) != 0 || kind == AccessKind::kAtomic)) {
    note_unusual(w, op, mask, a, imm, bytes, kind);
  }
  if (__builtin_expect(w.trace != nullptr, 0)) trace_access(w, op, mask, a, imm, bytes, kind);
}

inline void resolve_global(Warp& w, const MicroOp* op, u32 mask, u32 bytes, AccessKind kind,
                           Pointers& out) {
  const u64* a = row<u64>(w, op->a);
  resolve_at(w, op, mask, a, static_cast<u64>(op->imm), bytes, kind, out);
  if ((op->flags & kConstSpace) != 0) return;
  if (kind == AccessKind::kLoad) count_global(w, op, SiteKind::kGlobalLoad, mask, a, bytes);
  if (kind == AccessKind::kStore) count_global(w, op, SiteKind::kGlobalStore, mask, a, bytes);
}

// Offsets into the CTA's shared memory, in a row of 32-bit numbers.
struct SharedAddresses {
  alignas(64) u32 lane[kLanes];
};

inline void shared_addresses(Warp& w, const MicroOp* op, SharedAddresses& out) {
  const u32 imm = static_cast<u32>(op->imm);
  if ((op->flags & kWideAddress) != 0) {
    const u64* a = row<u64>(w, op->a);
    for (int i = 0; i < kLanes; ++i) {
      const u64 v = a[i] + static_cast<u64>(op->imm);
      out.lane[i] = v > 0xffffffffu ? 0xffffffffu : static_cast<u32>(v);
    }
  } else {
    const u32* a = row<u32>(w, op->a);
#pragma GCC ivdep
    for (int i = 0; i < kLanes; ++i) out.lane[i] = a[i] + imm;
  }
}

[[gnu::noinline, gnu::cold]] inline void shared_fault(Warp& w, const MicroOp* op, u32 mask,
                                                      const u32* a, u32 bytes, AccessKind kind) {
  u64 address[kLanes];
  for (int i = 0; i < kLanes; ++i) address[i] = a[i];
  fail_shared(w, op, mask, address, bytes, kind);
}

// The lanes whose number is above `most` or has a bit of `low_bits`.
inline u32 outside(const u32* a, u32 most, u32 low_bits) {
#if defined(__AVX512F__)
  u32 lanes = 0;
  for (int i = 0; i < kLanes; i += 16) {
    const __m512i v = _mm512_loadu_si512(a + i);
    const __mmask16 high = _mm512_cmpgt_epu32_mask(v, _mm512_set1_epi32(static_cast<s32>(most)));
    const __mmask16 odd = _mm512_test_epi32_mask(v, _mm512_set1_epi32(static_cast<s32>(low_bits)));
    lanes |= static_cast<u32>(high | odd) << i;
  }
  return lanes;
#else
  Row bad;
  for (int i = 0; i < kLanes; ++i) {
    bad.lane[i] = a[i] > most || (a[i] & low_bits) != 0 ? kAllLanes : 0;
  }
  return pack_bits(bad);
#endif
}

inline void check_shared(Warp& w, const MicroOp* op, u32 mask, const u32* a, u32 bytes,
                         AccessKind kind) {
  if (__builtin_expect(
          w.shared_bytes < bytes || (outside(a, w.shared_bytes - bytes, bytes - 1) & mask) != 0,
          0)) {
    shared_fault(w, op, mask, a, bytes, kind);
  }
  if (w.shadow != nullptr) note_shared(w, op, mask, a, bytes, kind);
}

inline void resolve_shared(Warp& w, const MicroOp* op, u32 mask, u32 bytes, AccessKind kind,
                           Pointers& out) {
  SharedAddresses a;
  shared_addresses(w, op, a);
  check_shared(w, op, mask, a.lane, bytes, kind);
  if (kind == AccessKind::kLoad) count_shared(w, op, SiteKind::kSharedLoad, mask, a.lane, bytes);
  if (kind == AccessKind::kStore) count_shared(w, op, SiteKind::kSharedStore, mask, a.lane, bytes);
  u32 off = mask != kAllLanes;
  for (int i = 0; i < kLanes; ++i) off |= (a.lane[i] - a.lane[0]) ^ (u32(i) * bytes);
  if (off == 0) {
    out.run = w.shared + a.lane[0];
  } else {
    out.run = nullptr;
    for (int i = 0; i < kLanes; ++i) out.lane[i] = w.shared + a.lane[i];
  }
}

template <class T>
inline T load_as(const std::byte* p) {
  T v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
template <class T>
inline void store_as(std::byte* p, T v) {
  std::memcpy(p, &v, sizeof v);
}

// 4 lanes of 4 words become 4 rows of 4 lanes, and back.
inline void transpose4(__m128i& a, __m128i& b, __m128i& c, __m128i& d) {
  const __m128i ab_low = _mm_unpacklo_epi32(a, b), ab_high = _mm_unpackhi_epi32(a, b);
  const __m128i cd_low = _mm_unpacklo_epi32(c, d), cd_high = _mm_unpackhi_epi32(c, d);
  a = _mm_unpacklo_epi64(ab_low, cd_low);
  b = _mm_unpackhi_epi64(ab_low, cd_low);
  c = _mm_unpacklo_epi64(ab_high, cd_high);
  d = _mm_unpackhi_epi64(ab_high, cd_high);
}

}  // namespace tcd::emu::TCD_ISA_NAMESPACE
