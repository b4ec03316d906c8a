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

// One element column: c and the chunk's products, given E over the products.
template <bool kHalf, bool kWide>
struct Column {
  Floats c, scale, unscale;
  Ints sum1, sum2, no_product;

  TCD_INLINE void begin(Column& x, Floats c, Ints product_exponent, int fraction_bits) {
    Ints field = shr<23>(magnitude_bits(c));
    Ints exponent = sub(field, every(127));
    if constexpr (kHalf) {
      Ints zero = greater(every(1), magnitude_bits(c));
      exponent = select(zero, exponent, larger(exponent, every(-14)));
    }
    x.c = c;
    x.no_product = greater(every(kNoProduct / 2), product_exponent);
    Ints top = sub(larger(product_exponent, exponent), every(fraction_bits));
    x.scale = power_of_two(sub(every(0), top));
    x.unscale = power_of_two(top);
    x.sum1 = truncate(mul(c, x.scale));
    x.sum2 = every(0);
  }
  TCD_INLINE Floats end(const Column& x) {
    Floats value = mul(normalise<kHalf, kWide>(x.sum1, x.sum2), x.unscale);
    return select(x.no_product, add(x.c, every(0.0f)), value);
  }
};

// One chunk for one group: kSteps times 8 products from step `from`.
template <int kSteps, bool kHalf>
TCD_INLINE Pair chip_step(const PreparedA& a, const PreparedB& b, int from, int fraction_bits,
                          Place at, Pair c) {
  Ints top = every(int32_t(0x80008000u));
  auto exponents = [&]<int t, int half>(int step) __attribute__((always_inline)) {
    Ints ea = spread<t>(
        load(static_cast<const void*>(a.exponent[2 * (at.half + 2 * step) + half] + at.lane)));
    top = max16(top, add16(ea, every_quad(b.exponent[2 * step + half][t])));
  };
  for (int s = 0; s < kSteps; ++s) {
    exponents.template operator()<0, 0>(from + s);
    exponents.template operator()<0, 1>(from + s);
    exponents.template operator()<1, 0>(from + s);
    exponents.template operator()<1, 1>(from + s);
    exponents.template operator()<2, 0>(from + s);
    exponents.template operator()<2, 1>(from + s);
    exponents.template operator()<3, 0>(from + s);
    exponents.template operator()<3, 1>(from + s);
  }
  using Side = Column<kHalf, (kSteps > 1)>;
  Side even, odd;
  Side::begin(even, c.even, sar<16>(shl<16>(top)), fraction_bits);
  Side::begin(odd, c.odd, sar<16>(top), fraction_bits);
  auto products = [&]<int t, int half>(int step, bool second) __attribute__((always_inline)) {
    Floats x = spread<t>(load(a.value[2 * (at.half + 2 * step) + half] + at.lane));
    Floats p = mul(x, every_quad(b.value[2 * step + half][t][0]));
    Floats q = mul(x, every_quad(b.value[2 * step + half][t][1]));
    Ints pi = truncate(mul(p, even.scale)), qi = truncate(mul(q, odd.scale));
    // 16 products at F = 25 may need 33 bits: two sums of 8.
    Ints& to_even = second ? even.sum2 : even.sum1;
    Ints& to_odd = second ? odd.sum2 : odd.sum1;
    to_even = add(to_even, pi);
    to_odd = add(to_odd, qi);
  };
  for (int s = 0; s < kSteps; ++s) {
    products.template operator()<0, 0>(from + s, s == 1);
    products.template operator()<0, 1>(from + s, s == 1);
    products.template operator()<1, 0>(from + s, s == 1);
    products.template operator()<1, 1>(from + s, s == 1);
    products.template operator()<2, 0>(from + s, s == 1);
    products.template operator()<2, 1>(from + s, s == 1);
    products.template operator()<3, 0>(from + s, s == 1);
    products.template operator()<3, 1>(from + s, s == 1);
  }
  return {Side::end(even), Side::end(odd)};
}

// Where IEEE arithmetic gives infinity or NaN, so does the chip; NaN has one pattern.
TCD_INLINE Floats special_or(Floats ieee, Floats chip) {
  Ints magnitude = magnitude_bits(ieee);
  Floats special =
      select(greater(magnitude, every(0x7f800000)), as_floats(every(0x7fffffff)), ieee);
  return select(greater(magnitude, every(0x7f7fffff)), special, chip);
}

template <int kSteps, bool kHalf>
void multiply_general(int fraction_bits, const PreparedA& a, const PreparedB& b, const Row* c,
                      Row* d) {
  bool special = a.special || b.special;
  Ints largest = every(0);
  for (int i = 0; i < kGroups; ++i) {
    Pair v = load_pair<kHalf>(c, place_of(i));
    largest = larger(largest, larger(magnitude_bits(v.even), magnitude_bits(v.odd)));
  }
  special = special || max_lanes(largest) >= 0x7f800000;
  for (int i = 0; i < kGroups; ++i) {
    const Place at = place_of(i);
    Pair acc = load_pair<kHalf>(c, at);
    for (int step = 0; step < b.registers; step += kSteps) {
      Pair chip = chip_step<kSteps, kHalf>(a, b, step, fraction_bits, at, acc);
      if (special) {
        Pair ieee = acc;
        for (int s = step; s < step + kSteps; ++s) accumulate<1>(a, b, s, i, &ieee);
        chip = {special_or(ieee.even, chip.even), special_or(ieee.odd, chip.odd)};
      } else if constexpr (kHalf) {
        // The chunk before may have rounded to infinity.
        chip = {special_or(acc.even, chip.even), special_or(acc.odd, chip.odd)};
      }
      acc = chip;
      if constexpr (kHalf) acc = {through_half(acc.even), through_half(acc.odd)};
    }
    store_pair<kHalf>(d, at, acc);
  }
}

constexpr int kHalfExponent = -14;  // of FP16's subnormals; other formats bring their exponents

template <bool kHalf>
void multiply_general(int chunk, int fraction_bits, PreparedA& a, PreparedB& b, const Row* c,
                      Row* d) {
  if (!a.has_exponents) prepare_exponents(a, kHalfExponent);
  if (!b.has_exponents) prepare_exponents(b, kHalfExponent);
  if (chunk == 16 && b.registers == 2) {
    multiply_general<2, kHalf>(fraction_bits, a, b, c, d);
  } else {
    multiply_general<1, kHalf>(fraction_bits, a, b, c, d);
  }
}

}  // namespace
}  // namespace tcd::emu::TCD_ISA
