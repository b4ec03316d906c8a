// FP16 mma, compiled once an instruction set. The arithmetic is stated in f16_kernels.h.
//
// Results are computed in the accumulator's own layout: a vector holds whole quads, a quad is one
// row of four even (or odd) columns. So A[row][k] is spread over its quad by an in-lane shuffle,
// B[k][0..3] is one 128-bit broadcast, and C and D need no transposition at all.
#include "tensor/f16_kernels.h"

#include "tensor/isa/simd.h"

namespace tcd::emu::TCD_ISA {
namespace {

constexpr int kRowVectors = kLanes / kWidth;  // vectors in one register row
constexpr int kGroups = 2 * kRowVectors;      // vectors of one column parity: rows 0-7, rows 8-15
constexpr int kNoProduct = -4096;             // exponent of a zero: two of them still fit 16 bits

// Where group i of the accumulator stands: register row 0 (rows 0-7) or 1 (rows 8-15), and lane.
struct Place {
  int half;
  int lane;
};
TCD_INLINE Place place_of(int group) {
  return {group / kRowVectors, (group % kRowVectors) * kWidth};
}

// Bounds on a fragment, gathered while it is decoded.
struct Survey {
  Ints largest = every(0);
  Ints set_bits = every(0);
};

TCD_INLINE void survey(Survey& s, Floats v) {
  s.largest = larger(s.largest, magnitude_bits(v));
  s.set_bits = either(s.set_bits, nearest(mul(v, every(0x1p24f))));
}

TCD_INLINE float float_of(int32_t pattern) {
  float value;
  __builtin_memcpy(&value, &pattern, sizeof value);
  return value;
}

// Every FP16 value is a multiple of 2^-24. Below 64 the multiple fits the 32-bit integers of the
// survey; with larger elements present the unit 2^-14 is tried, and 2^-24 stands if it is too
// coarse.
template <typename Prepared>
TCD_INLINE void conclude(const Survey& s, const float* values, int count, Prepared& out) {
  int32_t largest = max_lanes(s.largest);
  out.special = largest >= 0x7f800000;
  out.has_exponents = false;
  out.lowest_bit = -24;
  out.bound = 0;
  if (largest == 0) {
    out.lowest_bit = 0;
    return;
  }
  out.bound = float_of(largest > 0x38800000 ? largest : 0x38800000);
  if (out.bound < 64) {
    out.lowest_bit = __builtin_ctz(or_lanes(s.set_bits)) - 24;
  } else if (!out.special) {
    Ints set_bits = every(0), lost = every(0);
    for (int i = 0; i < count; i += kWidth) {
      Floats scaled = mul(load(values + i), every(0x1p14f));
      Ints whole = nearest(scaled);
      set_bits = either(set_bits, whole);
      lost = either(lost, differ(bits(to_floats(whole)), bits(scaled)));
    }
    // -0 differs from +0 in `lost`: the sign does not count.
    if ((or_lanes(lost) & 0x7fffffffu) == 0)
      out.lowest_bit = __builtin_ctz(or_lanes(set_bits)) - 14;
  }
}

void prepare_a(const Row* a, int registers, PreparedA& out) {
  Survey s;
  for (int r = 0; r < registers; ++r) {
    for (int lane = 0; lane < kLanes; lane += kWidth) {
      Ints x = load(static_cast<const void*>(a[r].lane + lane));
      Floats low = low_half(x), high = high_half(x);
      store(out.raw[r] + lane, x);
      store(out.value[2 * r] + lane, low);
      store(out.value[2 * r + 1] + lane, high);
      survey(s, low);
      survey(s, high);
    }
  }
  out.registers = registers;
  conclude(s, out.value[0], 2 * registers * kLanes, out);
}

// Lane 4n + t of a B register holds column n: reorder to [t][n odd?][n / 2].
TCD_INLINE void by_row(const uint32_t* in, uint32_t* out) {
#if defined(__AVX512F__)
  const Ints first = _mm512_setr_epi32(0, 8, 16, 24, 4, 12, 20, 28, 1, 9, 17, 25, 5, 13, 21, 29);
  Ints x = load(static_cast<const void*>(in)), y = load(static_cast<const void*>(in + 16));
  store(static_cast<void*>(out), _mm512_permutex2var_epi32(x, first, y));
  store(static_cast<void*>(out + 16), _mm512_permutex2var_epi32(x, add(first, every(2)), y));
#elif defined(__AVX2__)
  // Both parities at once: a 256-bit load is an even column's quad and the odd one's beside it.
  Ints r0 = load(static_cast<const void*>(in)), r1 = load(static_cast<const void*>(in + 8));
  Ints r2 = load(static_cast<const void*>(in + 16)), r3 = load(static_cast<const void*>(in + 24));
  Ints a = _mm256_unpacklo_epi32(r0, r1), b = _mm256_unpacklo_epi32(r2, r3);
  Ints c = _mm256_unpackhi_epi32(r0, r1), d = _mm256_unpackhi_epi32(r2, r3);
  store(static_cast<void*>(out), _mm256_unpacklo_epi64(a, b));
  store(static_cast<void*>(out + 8), _mm256_unpackhi_epi64(a, b));
  store(static_cast<void*>(out + 16), _mm256_unpacklo_epi64(c, d));
  store(static_cast<void*>(out + 24), _mm256_unpackhi_epi64(c, d));
#else
  for (int odd = 0; odd < 2; ++odd) {
    const uint32_t* from = in + 4 * odd;
    uint32_t* to = out + 4 * odd;
    Ints r0 = load(static_cast<const void*>(from)), r1 = load(static_cast<const void*>(from + 8));
    Ints r2 = load(static_cast<const void*>(from + 16)),
         r3 = load(static_cast<const void*>(from + 24));
    Ints a = _mm_unpacklo_epi32(r0, r1), b = _mm_unpacklo_epi32(r2, r3);
    Ints c = _mm_unpackhi_epi32(r0, r1), d = _mm_unpackhi_epi32(r2, r3);
    store(static_cast<void*>(to), _mm_unpacklo_epi64(a, b));
    store(static_cast<void*>(to + 8), _mm_unpackhi_epi64(a, b));
    store(static_cast<void*>(to + 16), _mm_unpacklo_epi64(c, d));
    store(static_cast<void*>(to + 24), _mm_unpackhi_epi64(c, d));
  }
#endif
}

void prepare_b(const Row* b, int registers, PreparedB& out) {
  Survey s;
  for (int r = 0; r < registers; ++r) {
    alignas(64) uint32_t ordered[kLanes];
    by_row(b[r].lane, ordered);
    for (int lane = 0; lane < kLanes; lane += kWidth) {
      store(out.raw[r] + lane, load(static_cast<const void*>(b[r].lane + lane)));
      Ints x = load(static_cast<const void*>(ordered + lane));
      Floats low = low_half(x), high = high_half(x);
      store(&out.value[2 * r][0][0][0] + lane, low);
      store(&out.value[2 * r + 1][0][0][0] + lane, high);
      survey(s, low);
      survey(s, high);
    }
  }
  out.registers = registers;
  conclude(s, &out.value[0][0][0][0], 2 * registers * kLanes, out);
}

// Exponents of packed halves, in place: max(e, 1) - 15, so subnormals have -14; zeros kNoProduct.
TCD_INLINE Ints half_exponents(Ints x) {
  Ints field = shr16<10>(both(x, every(0x7c007c00)));
  Ints exponent = add16(max16(field, every(0x00010001)), every(int32_t(0xfff1fff1u)));
  Ints zero = zero16(both(x, every(0x7fff7fff)));
  return either(but_not(exponent, zero), both(zero, every(int32_t(0xf000f000u))));
}

void prepare_exponents(PreparedA& a) {
  for (int r = 0; r < a.registers; ++r) {
    for (int lane = 0; lane < kLanes; lane += kWidth) {
      Ints e = half_exponents(load(static_cast<const void*>(a.raw[r] + lane)));
      Ints low = both(e, every(0xffff)), high = but_not(e, every(0xffff));
      store(a.exponent[2 * r] + lane, either(low, shl<16>(low)));
      store(a.exponent[2 * r + 1] + lane, either(high, shr<16>(high)));
    }
  }
  a.has_exponents = true;
}

void prepare_exponents(PreparedB& b) {
  for (int r = 0; r < b.registers; ++r) {
    alignas(64) uint32_t ordered[kLanes];
    by_row(b.raw[r], ordered);
    for (int lane = 0; lane < kLanes; lane += kWidth) {
      store(ordered + lane, half_exponents(load(static_cast<const void*>(ordered + lane))));
    }
    for (int t = 0; t < 4; ++t) {
      for (int i = 0; i < 4; ++i) {
        uint32_t even = ordered[8 * t + i], odd = ordered[8 * t + 4 + i];
        b.exponent[2 * r][t][i] = int32_t((even & 0xffff) | odd << 16);
        b.exponent[2 * r + 1][t][i] = int32_t(even >> 16 | (odd & 0xffff0000u));
      }
    }
  }
  b.has_exponents = true;
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

// acc += A * B over k = 8 * step + {0..7}, `count` groups from `first` side by side.
template <int count>
TCD_INLINE void accumulate(const PreparedA& a, const PreparedB& b, int step, int first, Pair* acc) {
  auto one = [&]<int t, int half>() __attribute__((always_inline)) {
    const Floats even = every_quad(b.value[2 * step + half][t][0]);
    const Floats odd = every_quad(b.value[2 * step + half][t][1]);
    for (int i = 0; i < count; ++i) {
      Place at = place_of(first + i);
      Floats x = spread<t>(load(a.value[2 * (at.half + 2 * step) + half] + at.lane));
      acc[i].even = mul_add(x, even, acc[i].even);
      acc[i].odd = mul_add(x, odd, acc[i].odd);
    }
  };
  one.template operator()<0, 0>();
  one.template operator()<0, 1>();
  one.template operator()<1, 0>();
  one.template operator()<1, 1>();
  one.template operator()<2, 0>();
  one.template operator()<2, 1>();
  one.template operator()<3, 0>();
  one.template operator()<3, 1>();
}

constexpr int kSideBySide = 4;  // 8 accumulators: enough to hide the latency of an FMA

// -0 becomes +0; in a sum of multiples of 2^q no later step can bring a -0 back.
TCD_INLINE Pair plus_zero(Pair v) { return {add(v.even, every(0.0f)), add(v.odd, every(0.0f))}; }

template <bool kHalf>
bool multiply_proven(int chunk, const PreparedA& a, const PreparedB& b, const Row* c, Row* d) {
  if (a.special || b.special) return false;
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
    for (int i = 0; i < kSideBySide; ++i) store_pair<kHalf>(d, place_of(first + i), acc[i]);
  }
  return true;
}

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

template <bool kHalf>
void multiply_general(int chunk, int fraction_bits, PreparedA& a, PreparedB& b, const Row* c,
                      Row* d) {
  if (!a.has_exponents) prepare_exponents(a);
  if (!b.has_exponents) prepare_exponents(b);
  if (chunk == 16 && b.registers == 2) {
    multiply_general<2, kHalf>(fraction_bits, a, b, c, d);
  } else {
    multiply_general<1, kHalf>(fraction_bits, a, b, c, d);
  }
}

template <bool kFromHalf>
void convert_accumulator(const Row* in, Row* out) {
  for (int i = 0; i < kGroups; ++i) {
    store_pair<!kFromHalf>(out, place_of(i), load_pair<kFromHalf>(in, place_of(i)));
  }
}

}  // namespace

#define TCD_TEXT(x) TCD_TEXT_OF(x)
#define TCD_TEXT_OF(x) #x
extern const F16Kernels kF16Kernels;
const F16Kernels kF16Kernels = {TCD_TEXT(TCD_ISA),
                                prepare_a,
                                prepare_b,
                                multiply_proven<false>,
                                multiply_proven<true>,
                                multiply_general<false>,
                                multiply_general<true>,
                                convert_accumulator<true>,
                                convert_accumulator<false>};

}  // namespace tcd::emu::TCD_ISA
