// Decoded fragments, recognised by content.
//
// A warp tile of 64 x 32 uses every A fragment four times and every B fragment four times in a row.
// The registers themselves are compared, so a hit is never wrong, whatever was written in between,
// and the interpreter need not say when a register changes. A lookup costs a few nanoseconds, a
// decode 10 to 20.
#pragma once

#include <cstring>

#include "tensor/mma_kernels.h"

namespace tcd::emu {

template <typename Prepared, int kSlots>
class FragmentCache {
 public:
  using Prepare = void (*)(const Row* rows, int registers, Prepared& out);

  Prepared& get(const Row* rows, int registers, Prepare prepare) {
    const uint32_t tag = tag_of(rows, registers);
    for (int i = 0; i < kSlots; ++i) {
      if (tags_[i] == tag && same(slots_[i], rows, registers)) return slots_[i];
    }
    // Oldest first: what the next mma of the same step needs is among the newest.
    const int victim = next_;
    next_ = (next_ + 1) % kSlots;
    prepare(rows, registers, slots_[victim]);
    tags_[victim] = tag;
    return slots_[victim];
  }

 private:
  // A few words, enough to tell fragments of real data apart; equality is decided by same().
  static uint32_t tag_of(const Row* rows, int registers) {
    const uint32_t* first = rows[0].lane;
    const uint32_t* last = rows[registers - 1].lane;
    uint64_t mix = (uint64_t{first[0]} << 32 | first[21]) * 0x9e3779b97f4a7c15u;
    mix ^= (uint64_t{first[10]} << 32 | last[31]) * 0xc2b2ae3d27d4eb4fu;
    mix ^= (uint64_t{last[5]} << 32 | last[18]) * 0x165667b19e3779f9u;
    return uint32_t(mix >> 32) | 1;  // 0 marks an empty slot
  }
  static bool same(const Prepared& slot, const Row* rows, int registers) {
    return slot.registers == registers &&
           std::memcmp(slot.raw, rows, sizeof(Row) * size_t(registers)) == 0;
  }

  uint32_t tags_[kSlots] = {};
  int next_ = 0;
  Prepared slots_[kSlots];
};

using ACache = FragmentCache<PreparedA, 8>;
using BCache = FragmentCache<PreparedB, 16>;

}  // namespace tcd::emu
