// The general path: alignment, truncation and rounding as the chip does them.
#pragma once

#include "tensor/isa/accumulator.h"
#include "tensor/mma_kernels.h"

namespace tcd::emu::TCD_ISA {
namespace {

// A magnitude (below 2^31 unless kWide) to 24 bits, toward zero or to odd: a set last bit stands
// for everything that was lost, so that a later rounding to 11 bits is still correct.
template <bool kToOdd, bool kWide>
TCD_INLINE Floats to_24_bits(Ints magnitude) {
#if defined(__AVX512F__)
  Floats value = unsigned_toward_zero(magnitude);
  if constexpr (!kToOdd) return value;
  Ints lost = differ(to_unsigned(value), magnitude);
#else
  Floats value;
  Ints lost;
  if constexpr (kWide) {
    // Clear what does not fit: as many low bits as there are bits above the 24th.
    Ints over = shr<24>(magnitude);
    over = either(over, shr<1>(over));
    over = either(over, shr<2>(over));
    over = either(over, shr<4>(over));
    Ints kept = but_not(magnitude, over);
    lost = both(magnitude, over);
    value = add(mul(to_floats(shr<8>(kept)), every(256.0f)), to_floats(both(kept, every(255))));
  } else {
    // The conversion rounds to nearest: one step back where it went up.
    Floats nearest_value = to_floats(magnitude);
    Ints up = greater(truncate(nearest_value), magnitude);
    value = as_floats(add(bits(nearest_value), up));
    if constexpr (!kToOdd) return value;
    lost = differ(truncate(value), magnitude);
  }
  if constexpr (!kToOdd) return value;
#endif
  return as_floats(either(bits(value), both(greater(lost, every(0)), every(1))));
}

// (sum1 + sum2) * 2^0, 33 bits between them, as a float of 24.
template <bool kToOdd, bool kWide>
TCD_INLINE Floats normalise(Ints sum1, Ints sum2) {
#if defined(__AVX512F__)
  if constexpr (!kToOdd && !kWide) return signed_toward_zero(sum1);
#endif
  Ints sum = sum1, negative = sar<31>(sum1);
  if constexpr (kWide) {
    sum = add(sum1, sum2);
    Ints mixed = differ(sum1, sum2);  // of different signs: the sum's own sign is right
    negative = sar<31>(either(both(mixed, sum), but_not(sum1, mixed)));
  }
  Ints magnitude = sub(differ(sum, negative), negative);
  Floats value = to_24_bits<kToOdd, kWide>(magnitude);
  return as_floats(either(bits(value), both(negative, every(int32_t(0x80000000u)))));
}

// One element column of a chunk, given E over its products.
template <bool kHalf, bool kWide>
struct Column {
  Floats c, scale, unscale;
  Mask no_product;

  // Sets the scale 2^(F - E); returns C aligned and truncated. Exponents are biased by 127.
  __attribute__((always_inline)) Ints begin(Floats addend, Ints product_exponent,
                                            Alignment alignment) {
    Ints exponent = shr<23>(magnitude_bits(addend));
    if constexpr (kHalf) {
      Ints zero = greater(every(1), magnitude_bits(addend));
      exponent = select(zero, exponent, larger(exponent, every(127 + kLeastNormalF16)));
      exponent = larger(exponent, every(127 + alignment.floor));
    }
    c = addend;
    no_product = less(product_exponent, every(kNoProduct / 2));
    Ints top = shl<23>(sub(larger(product_exponent, exponent), every(alignment.fraction_bits)));
    unscale = as_floats(top);
    scale = as_floats(sub(every(254 << 23), top));  // the reciprocal
    return truncate(mul(c, scale));
  }
  __attribute__((always_inline)) Floats end(Ints sum1, Ints sum2) const {
    Floats value = mul(normalise<kHalf, kWide>(sum1, sum2), unscale);
    return add_where(no_product, value, c, every(0.0f));
  }
};

constexpr int kTogether = 2;  // groups that share what is loaded of B

// Largest exponent of the products of one step: even columns in the low 16 bits, odd in the high.
TCD_INLINE void largest_exponents(const PreparedA& a, const PreparedB& b, int step, int first,
                                  Ints* top) {
  each_k([&]<int t, int half>() __attribute__((always_inline)) {
    const Ints of_b = every_quad(b.exponent[2 * step + half][t]);
    for (int i = 0; i < kTogether; ++i) {
      Place at = place_of(first + i);
      const int32_t* of_a = a.exponent[2 * (at.half + 2 * step) + half] + at.lane;
      top[i] = max16(top[i], add16(spread<t>(load(static_cast<const void*>(of_a))), of_b));
    }
  });
}

struct Sums {
  Ints even, odd;
};

// Adds the eight aligned, truncated products of one step.
TCD_INLINE void add_products(const PreparedA& a, const PreparedB& b, int step, int first,
                             const Pair* scale, Sums* sums) {
  each_k([&]<int t, int half>() __attribute__((always_inline)) {
    const Floats even = every_quad(b.value[2 * step + half][t][0]);
    const Floats odd = every_quad(b.value[2 * step + half][t][1]);
    for (int i = 0; i < kTogether; ++i) {
      Place at = place_of(first + i);
      Floats x = spread<t>(load(a.value[2 * (at.half + 2 * step) + half] + at.lane));
      sums[i].even = add(sums[i].even, truncate(mul(mul(x, even), scale[i].even)));
      sums[i].odd = add(sums[i].odd, truncate(mul(mul(x, odd), scale[i].odd)));
    }
  });
}

// One chunk for kTogether groups, in place: kSteps times 8 products from step `from`.
template <int kSteps, bool kHalf>
TCD_INLINE void chip_step(const PreparedA& a, const PreparedB& b, int from, Alignment alignment,
                          int first, Pair* acc) {
  using Side = Column<kHalf, (kSteps > 1)>;
  Ints top[kTogether];
  for (Ints& t : top) t = every(int32_t(0x80008000u));
  for (int s = 0; s < kSteps; ++s) largest_exponents(a, b, from + s, first, top);
  Side even[kTogether], odd[kTogether];
  Pair scale[kTogether];
  Sums sums[2][kTogether];  // 16 products at F = 25 may need 33 bits: two sums of 8
  for (int i = 0; i < kTogether; ++i) {
    sums[0][i].even = even[i].begin(acc[i].even, sar<16>(shl<16>(top[i])), alignment);
    sums[0][i].odd = odd[i].begin(acc[i].odd, sar<16>(top[i]), alignment);
    sums[1][i] = {every(0), every(0)};
    scale[i] = {even[i].scale, odd[i].scale};
  }
  add_products(a, b, from, first, scale, sums[0]);
  if constexpr (kSteps > 1) add_products(a, b, from + 1, first, scale, sums[1]);
  for (int i = 0; i < kTogether; ++i) {
    acc[i] = {even[i].end(sums[0][i].even, sums[1][i].even),
              odd[i].end(sums[0][i].odd, sums[1][i].odd)};
  }
}

// Where IEEE arithmetic gives infinity or NaN, so does the chip; NaN has one pattern.
TCD_INLINE Floats special_or(Floats ieee, Floats chip) {
  Ints magnitude = magnitude_bits(ieee);
  Floats special =
      select(greater(magnitude, every(0x7f800000)), as_floats(every(0x7fffffff)), ieee);
  return select(greater(magnitude, every(0x7f7fffff)), special, chip);
}

template <int kSteps, bool kHalf>
void multiply_general(Alignment alignment, const PreparedA& a, const PreparedB& b, const Row* c,
                      Row* d) {
  bool special = a.special || b.special;
  Ints largest = every(0);
  for (int i = 0; i < kGroups; ++i) {
    Pair v = load_pair<kHalf>(c, place_of(i));
    largest = larger(largest, larger(magnitude_bits(v.even), magnitude_bits(v.odd)));
  }
  special = special || max_lanes(largest) >= 0x7f800000;
  for (int first = 0; first < kGroups; first += kTogether) {
    Pair acc[kTogether];
    for (int i = 0; i < kTogether; ++i) acc[i] = load_pair<kHalf>(c, place_of(first + i));
    for (int step = 0; step < b.registers; step += kSteps) {
      Pair ieee[kTogether];
      for (int i = 0; i < kTogether; ++i) ieee[i] = acc[i];
      chip_step<kSteps, kHalf>(a, b, step, alignment, first, acc);
      if (special) {
        for (int s = step; s < step + kSteps; ++s) accumulate<kTogether>(a, b, s, first, ieee);
      }
      // An FP16 chunk before this one may have rounded to infinity.
      if (special || kHalf) {
        for (int i = 0; i < kTogether; ++i) {
          acc[i] = {special_or(ieee[i].even, acc[i].even), special_or(ieee[i].odd, acc[i].odd)};
        }
      }
      if constexpr (kHalf) {
        for (Pair& v : acc) v = {through_half(v.even), through_half(v.odd)};
      }
    }
    for (int i = 0; i < kTogether; ++i) store_result<kHalf>(d, place_of(first + i), acc[i]);
  }
}

constexpr int kHalfExponent = -14;  // of FP16's subnormals; other formats bring their exponents

template <bool kHalf>
void multiply_general(int chunk, Alignment alignment, PreparedA& a, PreparedB& b, const Row* c,
                      Row* d) {
  if (!a.has_exponents) prepare_exponents(a, kHalfExponent);
  if (!b.has_exponents) prepare_exponents(b, kHalfExponent);
  if (chunk == 16 && b.registers == 2) {
    multiply_general<2, kHalf>(alignment, a, b, c, d);
  } else {
    multiply_general<1, kHalf>(alignment, a, b, c, d);
  }
}

}  // namespace
}  // namespace tcd::emu::TCD_ISA
