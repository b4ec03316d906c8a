// Counting at execution: is this address pattern the one this instruction met last? Then one more
// of it; else the rules of counters/ are asked (out of line, some tenths of a microsecond).
#pragma once

#include "counters/site.h"
#include "machine/cta.h"
#include "machine/exec/lanes.h"
#include "machine/memory_flags.h"

namespace tcd::emu::TCD_ISA_NAMESPACE {

inline int first_lane(u32 mask) { return std::countr_zero(mask) & 31; }  // mask is never 0

// Have the lanes of `mask` the offsets `known` to `base`? Other lanes do not matter.
inline bool same_offsets(const u32* addresses, u32 base, const u32* known, u32 mask) {
  u32 differs = 0;
  if (__builtin_expect(mask == kAllLanes, 1)) {
    for (int i = 0; i < kLanes; ++i) differs |= (addresses[i] - base) ^ known[i];
  } else {
    for (int i = 0; i < kLanes; ++i) {
      differs |= in_mask(mask, i) ? (addresses[i] - base) ^ known[i] : 0;
    }
  }
  return differs == 0;
}

// The same for 64-bit addresses. Those farther than 2 GiB from the base are never the same.
inline bool same_offsets(const u64* addresses, u64 base, const u32* known, u32 mask) {
  u64 differs = 0;
  const auto compare = [&](int i) {
    return addresses[i] ^ (base + static_cast<u64>(static_cast<s64>(static_cast<s32>(known[i]))));
  };
  if (__builtin_expect(mask == kAllLanes, 1)) {
    for (int i = 0; i < kLanes; ++i) differs |= compare(i);
  } else {
    for (int i = 0; i < kLanes; ++i) differs |= in_mask(mask, i) ? compare(i) : 0;
  }
  return differs == 0;
}

inline void count_shared(Warp& w, const MicroOp* op, SiteKind kind, u32 mask, const u32* addresses,
                         u32 bytes) {
  Site& site = w.sites[op->slot];
  Pattern& p = site.patterns[0];
  const u32 base = addresses[first_lane(mask)] & ~(kSharedStep - 1);
  if (__builtin_expect(p.mask == mask && same_offsets(addresses, base, p.offsets, mask), 1)) {
    ++p.repeats;
  } else {
    site.learn_shared(kind, mask, addresses, bytes);
  }
}

inline Site::Window generic_window(Warp& w) {
  const DeviceMemory::Impl& memory = *w.launch->memory;
  return {memory.shared_window(), memory.code_window() - memory.shared_window(),
          kSharedWindowBytes};
}

[[gnu::noinline]] inline void learn_global(Warp& w, const MicroOp* op, SiteKind kind, u32 mask,
                                           const u64* rows, u32 bytes) {
  u64 addresses[kLanes] = {};
  each_lane(mask, [&](int i) { addresses[i] = rows[i] + static_cast<u64>(op->imm); });
  const bool generic = (op->flags & kGenericSpace) != 0;
  const Site::Window window = generic_window(w);
  w.sites[op->slot].learn_global(kind, mask, addresses, bytes, generic ? &window : nullptr);
}

// rows: addresses without op->imm.
inline void count_global(Warp& w, const MicroOp* op, SiteKind kind, u32 mask, const u64* rows,
                         u32 bytes) {
  Pattern& p = w.sites[op->slot].patterns[0];
  const u64 imm = static_cast<u64>(op->imm);
  const u64 base = (rows[first_lane(mask)] + imm) & ~u64{kGlobalStep - 1};
  bool same = p.mask == mask && same_offsets(rows, base - imm, p.offsets, mask);
  if ((op->flags & kGenericSpace) != 0) {
    const Site::Window window = generic_window(w);
    same &= p.in_window == (base - window.start < window.bytes);
  }
  if (__builtin_expect(same, 1)) {
    ++p.repeats;
  } else {
    learn_global(w, op, kind, mask, rows, bytes);
  }
}

// reading: lanes with source_bytes not 0; full: lanes with source_bytes == bytes.
inline void count_copy(Warp& w, const MicroOp* op, u32 mask, u32 reading, u32 full,
                       const u32* shared, const u64* global, const u32* source_bytes, u32 bytes) {
  Site& site = w.sites[op->slot];
  const u64 source = reading != 0 ? global[first_lane(reading)] : 0;
  Pattern& p = site.patterns[Site::copy_pattern(source)];
  const bool same =
      p.mask == mask && p.reading == reading && full == reading &&
      same_offsets(shared, shared[first_lane(mask)] & ~(kCopyStep - 1), p.offsets, mask) &&
      same_offsets(global, source & ~u64{kCopyStep - 1}, p.sources, reading);
  if (__builtin_expect(same, 1)) {
    ++p.repeats;
  } else {
    site.learn_copy(mask, shared, global, source_bytes, bytes, (op->flags & kBypassL1) != 0);
  }
}

}  // namespace tcd::emu::TCD_ISA_NAMESPACE
