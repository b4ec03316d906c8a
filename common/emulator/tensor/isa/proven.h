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
  const float step_of_c = float_of((127 + q + 23) << 23);
  const bool no_products = products == 0;
  if (!no_products && !(products < limit)) return false;

  Ints largest = every(0), lost = every(0);
  for (int i = 0; i < kGroups; ++i) {
    Pair v = load_pair<kHalf>(c, place_of(i));
    Floats even = as_floats(magnitude_bits(v.even)), odd = as_floats(magnitude_bits(v.odd));
    largest = larger(largest, larger(bits(even), bits(odd)));
    // Adding 2^(q+23) leaves an ulp of 2^q or more: what comes back unchanged is a multiple of 2^q.
    Floats m = every(step_of_c);
    lost = either(lost, differ(bits(sub(add(even, m), m)), bits(even)));
    lost = either(lost, differ(bits(sub(add(odd, m), m)), bits(odd)));
  }
  const int32_t top = max_lanes(largest);
  if (no_products) {
    if (top >= 0x7f800000) return false;
  } else {
    const float all = float_of(top) + products + (kHalf ? 0x1p-14f : 0.0f);
    if (!(all < limit) || or_lanes(lost) != 0) return false;
  }

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
