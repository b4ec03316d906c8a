// Registers to FP32 values, and what the proof and the alignment need to know of them.
#pragma once

#include "tensor/isa/simd.h"
#include "tensor/mma_kernels.h"

namespace tcd::emu::TCD_ISA {
namespace {

constexpr int kNoProduct = -4096;  // exponent of a zero: two of them still fit 16 bits

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

}  // namespace
}  // namespace tcd::emu::TCD_ISA
