// mma of FP16 inputs with the fragments' decoding remembered.
#pragma once

#include "tensor/fragment_cache.h"
#include "tensor/isa/general.h"
#include "tensor/isa/proven.h"

namespace tcd::emu::TCD_ISA {
namespace {

// Enough to tell fragments of real data apart; equality is decided by same().
template <int kRegisters>
TCD_INLINE uint32_t tag_of(const Row* rows) {
  const uint32_t* first = rows[0].lane;
  const uint32_t* last = rows[kRegisters - 1].lane;
  uint64_t mix = (uint64_t{first[0]} << 32 | first[21]) * 0x9e3779b97f4a7c15u;
  mix ^= (uint64_t{first[10]} << 32 | last[31]) * 0xc2b2ae3d27d4eb4fu;
  mix ^= (uint64_t{last[5]} << 32 | last[18]) * 0x165667b19e3779f9u;
  return uint32_t(mix >> 32) | 1;
}

template <int kRegisters, typename Prepared>
TCD_INLINE bool same(const Prepared& slot, const Row* rows) {
  Ints different = every(0);
  for (int r = 0; r < kRegisters; ++r) {
    for (int lane = 0; lane < kLanes; lane += kWidth) {
      different = either(different, differ(load(static_cast<const void*>(slot.raw[r] + lane)),
                                           load(static_cast<const void*>(rows[r].lane + lane))));
    }
  }
  return slot.registers == kRegisters && !nonzero(different);
}

template <int kRegisters, typename Prepared, int kSlots>
__attribute__((noinline)) Prepared& find_or_prepare(FragmentSlots<Prepared, kSlots>& slots,
                                                    const Row* rows, uint8_t& hint,
                                                    void (*prepare)(const Row*, int, Prepared&)) {
  const uint32_t tag = tag_of<kRegisters>(rows);
  for (int i = 0; i < kSlots; ++i) {
    if (slots.tag[i] != tag || !same<kRegisters>(slots.slot[i], rows)) continue;
    hint = uint8_t(i);
    return slots.slot[i];
  }
  const int victim = slots.next;
  slots.next = (victim + 1) % kSlots;
  prepare(rows, kRegisters, slots.slot[victim]);
  slots.tag[victim] = tag;
  hint = uint8_t(victim);
  return slots.slot[victim];
}

// The registers' address says where the fragment was last time; within a step it still is.
template <int kRegisters, typename Prepared, int kSlots>
TCD_INLINE Prepared& prepared(FragmentSlots<Prepared, kSlots>& slots, const Row* rows,
                              void (*prepare)(const Row*, int, Prepared&)) {
  uint8_t& hint = slots.hint[reinterpret_cast<uintptr_t>(rows) / sizeof(Row) % kHints];
  Prepared& guess = slots.slot[hint];
  if (__builtin_expect(same<kRegisters>(guess, rows), 1)) return guess;
  return find_or_prepare<kRegisters>(slots, rows, hint, prepare);
}

template <bool kHalf, int kSteps>
void mma_f16(FragmentCaches& caches, int chunk, Alignment alignment, const Row* a, const Row* b,
             const Row* c, Row* d) {
  PreparedA& left = prepared<2 * kSteps>(caches.a, a, prepare_a);
  PreparedB& right = prepared<kSteps>(caches.b, b, prepare_b);
  if (multiply_proven<kHalf>(chunk, left, right, c, d)) {
    ++caches.proven;
  } else {
    multiply_general<kHalf>(chunk, alignment, left, right, c, d);
  }
}

}  // namespace
}  // namespace tcd::emu::TCD_ISA
