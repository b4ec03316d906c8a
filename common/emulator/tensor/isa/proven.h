// The fast path: accepted only where mma_kernels.h's proof holds.
#pragma once

#include "tensor/isa/accumulator.h"
#include "tensor/mma_kernels.h"

namespace tcd::emu::TCD_ISA {
namespace {

constexpr int kSideBySide = 4;  // 8 accumulators: enough to hide the latency of an FMA

// -0 becomes +0; in a sum of multiples of 2^q no later step can bring a -0 back.
TCD_INLINE Pair plus_zero(Pair v) { return {add(v.even, every(0.0f)), add(v.odd, every(0.0f))}; }

template <bool kHalf>
bool multiply_proven(int chunk, const PreparedA& a, const PreparedB& b, const Row* c, Row* d) {
  if (!a.provable || !b.provable) return false;
  const int steps = b.registers;
  const float products = float(8 * steps) * a.bound * b.bound;
  const int q = a.lowest_bit + b.lowest_bit;
  // FP16 accumulators: one bit spare for the rounding between two chunks, 2^-14 for subnormal C.
  const float limit = float_of((127 + q + (kHalf ? 23 : 24)) << 23);
  const bool no_products = products == 0;
  if (!no_products && !(products < limit)) return false;

  // Without products any finite C will do. Otherwise |C| + products < limit: a difference rounded
  // up is no float below which there is one that is too large.
  const float room = limit - products - (kHalf ? 0x1p-14f : 0.0f);
  const Floats most = every(no_products ? float_of(0x7f800000) : room);
  // Adding 2^(q+23) leaves an ulp of 2^q or more: what comes back unchanged is a multiple of 2^q.
  const Floats m = every(no_products ? 0.0f : float_of((127 + q + 23) << 23));
  Mask refused = no_lane();
  for (int i = 0; i < kGroups; ++i) {
    Pair v = load_pair<kHalf>(c, place_of(i));
    const Floats even = as_floats(magnitude_bits(v.even)), odd = as_floats(magnitude_bits(v.odd));
    refused = either_mask(refused, either_mask(not_less(even, most), not_less(odd, most)));
    refused = either_mask(refused, unequal(sub(add(even, m), m), even));
    refused = either_mask(refused, unequal(sub(add(odd, m), m), odd));
  }
  if (any_lane(refused)) return false;

  for (int first = 0; first < kGroups; first += kSideBySide) {
    Pair acc[kSideBySide];
    for (int i = 0; i < kSideBySide; ++i) {
      acc[i] = plus_zero(load_pair<kHalf>(c, place_of(first + i)));
    }
    accumulate<kSideBySide>(a, b, 0, first, acc);
    if (steps == 2) {
      if (kHalf && chunk == 8) {
        for (Pair& v : acc) v = {through_half(v.even), through_half(v.odd)};
      }
      accumulate<kSideBySide>(a, b, 1, first, acc);
    }
    for (int i = 0; i < kSideBySide; ++i) store_result<kHalf>(d, place_of(first + i), acc[i]);
  }
  return true;
}

}  // namespace
}  // namespace tcd::emu::TCD_ISA
