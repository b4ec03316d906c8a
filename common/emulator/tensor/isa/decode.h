// Registers to FP32 values, and what the proof and the alignment need to know of them.
#pragma once

#include "tensor/isa/simd.h"
#include "tensor/mma_kernels.h"

namespace tcd::emu::TCD_ISA {
namespace {

constexpr int kNoProduct = -4096;  // exponent of a zero: two of them still fit 16 bits

TCD_INLINE float float_of(int32_t pattern) {
  float value;
  __builtin_memcpy(&value, &pattern, sizeof value);
  return value;
}

// Bounds on a fragment, gathered while it is decoded.
struct Survey {
  Ints largest = every(0);
  Ints set_bits = every(0);  // of the values in units of 2^-24
};

TCD_INLINE void survey(Survey& s, Floats v) {
  s.largest = larger(s.largest, magnitude_bits(v));
  s.set_bits = either(s.set_bits, nearest(mul(v, every(0x1p24f))));
}

// The largest n for which all values are multiples of 2^n, if 32-bit integers of the unit 2^-scale
// show it; kNoUnit if some value is no multiple of that unit.
constexpr int kNoUnit = 1000;
TCD_INLINE int lowest_bit(const float* values, int count, int scale) {
  const Floats to_units = every(float_of((127 + scale) << 23));
  Ints set_bits = every(0), lost = every(0);
  for (int i = 0; i < count; i += kWidth) {
    Floats scaled = mul(load(values + i), to_units);
    Ints whole = nearest(scaled);
    set_bits = either(set_bits, whole);
    // Magnitudes only: -0 comes back as +0.
    lost = either(lost, differ(magnitude_bits(to_floats(whole)), magnitude_bits(scaled)));
  }
  return or_lanes(lost) == 0 ? __builtin_ctz(or_lanes(set_bits)) - scale : kNoUnit;
}

// Fills bound, lowest_bit and the flags. FP16 values are multiples of 2^-24 whatever they are, and
// below 64 the survey's integers hold them; other formats have to be looked at once more.
template <bool kHalfInputs, typename Prepared>
TCD_INLINE void conclude(const Survey& s, const float* values, int count, Prepared& out) {
  const int32_t largest = max_lanes(s.largest);
  out.special = largest >= 0x7f800000;
  out.provable = !out.special;
  out.has_exponents = false;
  out.in_range = true;
  out.lowest_bit = 0;
  out.bound = 0;
  if (largest == 0 || out.special) return;
  out.bound = float_of(largest > 0x38800000 ? largest : 0x38800000);
  if (kHalfInputs && out.bound < 64) {
    out.lowest_bit = __builtin_ctz(or_lanes(s.set_bits)) - 24;
    return;
  }
  out.lowest_bit = lowest_bit(values, count, out.bound < 64 ? 24 : 14);
  if (out.bound >= 65536 || out.lowest_bit == kNoUnit) {
    out.provable = kHalfInputs;
    out.lowest_bit = -24;
  }
}

// Exponents as the chip aligns by them, at least `least`; zeros kNoProduct.
TCD_INLINE Ints exponents_of(Floats v, int least) {
  Ints magnitude = magnitude_bits(v);
  Ints exponent = larger(sub(shr<23>(magnitude), every(127)), every(least));
  return select(greater(every(1), magnitude), every(kNoProduct), exponent);
}

// A's with FP32's bias of 127, which the product's then has, too.
void prepare_exponents(PreparedA& a, int least) {
  for (int i = 0; i < 2 * a.registers; ++i) {
    for (int lane = 0; lane < kLanes; lane += kWidth) {
      Ints e = add(exponents_of(load(a.value[i] + lane), least), every(127));
      e = both(e, every(0xffff));
      store(a.exponent[i] + lane, either(e, shl<16>(e)));
    }
  }
  a.has_exponents = true;
}

void prepare_exponents(PreparedB& b, int least) {
  for (int i = 0; i < 2 * b.registers; ++i) {
    alignas(64) int32_t e[4][2][4];
    for (int lane = 0; lane < kLanes; lane += kWidth) {
      store(&e[0][0][0] + lane, exponents_of(load(&b.value[i][0][0][0] + lane), least));
    }
    for (int t = 0; t < 4; ++t) {
      for (int n = 0; n < 4; ++n) {
        b.exponent[i][t][n] = (e[t][0][n] & 0xffff) | int32_t(uint32_t(e[t][1][n]) << 16);
      }
    }
  }
  b.has_exponents = true;
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
  conclude<true>(s, out.value[0], 2 * registers * kLanes, out);
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
  conclude<true>(s, &out.value[0][0][0][0], 2 * registers * kLanes, out);
}

// Other formats, already FP32. Exponents beyond 2^50 or below 2^-50 are for the slow model:
// products and scales would leave FP32.
template <typename Prepared>
TCD_INLINE void conclude_floats(float* values, int registers, int least, Prepared& out) {
  Survey s;
  Ints outside = every(0);
  const int count = 2 * registers * kLanes;
  for (int i = 0; i < count; i += kWidth) {
    Ints magnitude = magnitude_bits(load(values + i));
    s.largest = larger(s.largest, magnitude);
    Ints tiny = both(greater(every(77 << 23), magnitude), greater(magnitude, every(0)));
    Ints huge =
        both(greater(magnitude, every((178 << 23) - 1)), greater(every(0x7f800000), magnitude));
    outside = either(outside, either(tiny, huge));
  }
  out.registers = registers;
  conclude<false>(s, values, count, out);
  out.provable = out.provable && least <= -14;
  out.in_range = or_lanes(outside) == 0;
  prepare_exponents(out, least);
}

void prepare_a_floats(const float (*values)[kLanes], int registers, int least, PreparedA& out) {
  for (int i = 0; i < 2 * registers; ++i) {
    for (int lane = 0; lane < kLanes; lane += kWidth) {
      store(out.value[i] + lane, load(values[i] + lane));
    }
  }
  conclude_floats(out.value[0], registers, least, out);
}

void prepare_b_floats(const float (*values)[kLanes], int registers, int least, PreparedB& out) {
  for (int i = 0; i < 2 * registers; ++i) {
    uint32_t words[kLanes];
    __builtin_memcpy(words, values[i], sizeof words);
    alignas(64) uint32_t ordered[kLanes];
    by_row(words, ordered);
    __builtin_memcpy(out.value[i], ordered, sizeof ordered);
  }
  conclude_floats(&out.value[0][0][0][0], registers, least, out);
}

}  // namespace
}  // namespace tcd::emu::TCD_ISA
