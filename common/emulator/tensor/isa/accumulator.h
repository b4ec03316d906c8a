// The accumulator tile in registers, and plain FP32 multiplication on it.
//
// Results are computed in the accumulator's own layout: a vector holds whole quads, a quad is one
// row of four even (or odd) columns. So A[row][k] is spread over its quad by an in-lane shuffle,
// B[k][0..3] is one 128-bit broadcast, and C and D need no transposition at all.
#pragma once

#include "tensor/isa/decode.h"
#include "tensor/mma_kernels.h"

namespace tcd::emu::TCD_ISA {
namespace {

constexpr int kRowVectors = kLanes / kWidth;  // vectors in one register row
constexpr int kGroups = 2 * kRowVectors;      // vectors of one column parity: rows 0-7, rows 8-15

// Where group i of the accumulator stands: register row 0 (rows 0-7) or 1 (rows 8-15), and lane.
struct Place {
  int half;
  int lane;
};
TCD_INLINE Place place_of(int group) {
  return {group / kRowVectors, (group % kRowVectors) * kWidth};
}

// The accumulator of one group: even and odd columns.
struct Pair {
  Floats even, odd;
};

TCD_INLINE Pair load_f32(const Row* c, Place at) {
  return {load(reinterpret_cast<const float*>(c[2 * at.half].lane + at.lane)),
          load(reinterpret_cast<const float*>(c[2 * at.half + 1].lane + at.lane))};
}
TCD_INLINE void store_f32(Row* d, Place at, Pair v) {
  store(reinterpret_cast<float*>(d[2 * at.half].lane + at.lane), v.even);
  store(reinterpret_cast<float*>(d[2 * at.half + 1].lane + at.lane), v.odd);
}
TCD_INLINE Pair load_f16(const Row* c, Place at) {
  Ints x = load(static_cast<const void*>(c[at.half].lane + at.lane));
  return {low_half(x), high_half(x)};
}
TCD_INLINE void store_f16(Row* d, Place at, Pair v) {
  store(static_cast<void*>(d[at.half].lane + at.lane),
        either(round_to_half(v.even), shl<16>(round_to_half(v.odd))));
}
// What a multiplication leaves: its zero is +0, also where a negative sum rounds to it. (A
// conversion, store_f16, keeps the sign.)
TCD_INLINE Ints half_result(Floats v) {
  Ints half = round_to_half(v);
  return but_not(half, greater(every(1), both(half, every(0x7fff))));
}
TCD_INLINE void store_f16_result(Row* d, Place at, Pair v) {
  store(static_cast<void*>(d[at.half].lane + at.lane),
        either(half_result(v.even), shl<16>(half_result(v.odd))));
}
TCD_INLINE Floats through_half(Floats v) { return low_half(round_to_half(v)); }

template <bool kHalf>
TCD_INLINE Pair load_pair(const Row* c, Place at) {
  if constexpr (kHalf)
    return load_f16(c, at);
  else
    return load_f32(c, at);
}
template <bool kHalf>
TCD_INLINE void store_pair(Row* d, Place at, Pair v) {
  if constexpr (kHalf)
    store_f16(d, at, v);
  else
    store_f32(d, at, v);
}

template <bool kHalf>
TCD_INLINE void store_result(Row* d, Place at, Pair v) {
  if constexpr (kHalf)
    store_f16_result(d, at, v);
  else
    store_f32(d, at, v);
}

// Calls body<t, half>() for the eight k of a step.
template <typename Body>
TCD_INLINE void each_k(Body&& body) {
  body.template operator()<0, 0>();
  body.template operator()<0, 1>();
  body.template operator()<1, 0>();
  body.template operator()<1, 1>();
  body.template operator()<2, 0>();
  body.template operator()<2, 1>();
  body.template operator()<3, 0>();
  body.template operator()<3, 1>();
}

// acc += A * B over k = 8 * step + {0..7}, `count` groups from `first` side by side.
template <int count>
TCD_INLINE void accumulate(const PreparedA& a, const PreparedB& b, int step, int first, Pair* acc) {
  each_k([&]<int t, int half>() __attribute__((always_inline)) {
    const Floats even = every_quad(b.value[2 * step + half][t][0]);
    const Floats odd = every_quad(b.value[2 * step + half][t][1]);
    for (int i = 0; i < count; ++i) {
      Place at = place_of(first + i);
      Floats x = spread<t>(load(a.value[2 * (at.half + 2 * step) + half] + at.lane));
      acc[i].even = mul_add(x, even, acc[i].even);
      acc[i].odd = mul_add(x, odd, acc[i].odd);
    }
  });
}

}  // namespace
}  // namespace tcd::emu::TCD_ISA
