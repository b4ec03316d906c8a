// Decoded fragments, recognised by content (isa/cached.h looks them up).
//
// A warp tile of 64 x 32 uses every A fragment four times in a row and every B fragment four times.
// The registers themselves are compared, so a hit is never wrong, whatever was written in between,
// and the interpreter need not say when a register changes. A lookup costs two nanoseconds, a
// decode 10 to 20.
#pragma once

#include "tensor/mma_kernels.h"

namespace tcd::emu {

inline constexpr int kHints = 64;

template <typename Prepared, int kSlots>
struct FragmentSlots {
  uint8_t hint[kHints] = {};  // by the registers' address: the slot they were found in last
  uint32_t tag[kSlots] = {};  // a few words of the fragment; 0: empty
  int next = 0;               // the oldest: what the next mma of a step needs is among the newest
  Prepared slot[kSlots] = {};
};

// One a thread: 60 KiB, of which the proven path touches two thirds. Warps run one after the other
// from barrier to barrier: four warps beside each other have 32 B fragments of a 32-deep tile, and
// the second row of warps finds them again.
struct FragmentCaches {
  FragmentSlots<PreparedA, 8> a;
  FragmentSlots<PreparedB, 36> b;
  uint64_t proven = 0;  // multiplications that took the proven path
};

}  // namespace tcd::emu
