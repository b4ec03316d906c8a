// The GPU's floating-point rules on one lane (PTX ISA 9.7.3): NaN results are one canonical NaN,
// .ftz flushes subnormal inputs and results to a zero of the same sign.
#pragma once

#include "machine/exec/lanes.h"

namespace tcd::emu::TCD_ISA_NAMESPACE {

inline u32 bits(f32 v) { return std::bit_cast<u32>(v); }
inline f32 from_bits(u32 v) { return std::bit_cast<f32>(v); }
inline u64 bits(f64 v) { return std::bit_cast<u64>(v); }
inline f64 from_bits(u64 v) { return std::bit_cast<f64>(v); }

inline f32 canonical(f32 v) { return v == v ? v : from_bits(0x7fffffffu); }
inline f64 canonical(f64 v) { return v == v ? v : from_bits(u64{0x7ff8000000000000}); }

// Conversions from and to double precision keep a NaN's sign and the upper bits of its payload.
inline f32 narrow_nan(f32 r, f64 v) {
  const u64 b = bits(v);
  const u32 nan =
      static_cast<u32>(b >> 32 & 0x80000000u) | 0x7fc00000u | static_cast<u32>(b >> 29 & 0x7fffff);
  return v == v ? r : from_bits(nan);
}
inline f64 widen_nan(f64 r, f32 v) {
  const u64 b = bits(v);
  const u64 nan = (b & 0x80000000u) << 32 | 0x7ff8000000000000u | (b & 0x7fffff) << 29;
  return v == v ? r : from_bits(nan);
}

inline f32 flush(f32 v) {
  const u32 b = bits(v);
  return (b & 0x7f800000u) == 0 ? from_bits(b & 0x80000000u) : v;
}

inline f32 saturate(f32 v) { return v > 0 ? (v < 1 ? v : 1.0f) : 0.0f; }  // NaN becomes +0
inline f64 saturate(f64 v) { return v > 0 ? (v < 1 ? v : 1.0) : 0.0; }

// Flag bits shared by the handlers that take their variants at run time.
inline constexpr u32 kRoundMask = 3;  // 0 rn, 1 rz, 2 rm, 3 rp
inline constexpr u32 kFtz = 4;
inline constexpr u32 kSat = 8;
inline constexpr u32 kOpShift = 4;  // operation number above the variants

#if defined(__SSE2__)
// Sets the processor's rounding direction while it lives. Operands come from and go to memory
// inside the scope, so the compiler cannot move arithmetic out of it.
class RoundingScope {
 public:
  explicit RoundingScope(u32 round) : saved_(_mm_getcsr()) {
    constexpr u32 kMode[4] = {0x0000, 0x6000, 0x2000, 0x4000};
    _mm_setcsr((saved_ & ~0x6000u) | kMode[round & 3]);
    __asm__ volatile("" ::: "memory");
  }
  ~RoundingScope() {
    __asm__ volatile("" ::: "memory");
    _mm_setcsr(saved_);
  }
  RoundingScope(const RoundingScope&) = delete;

 private:
  u32 saved_;
};
#endif

// Half precision by integer arithmetic: the loops vectorise on every instruction set alike.
inline f32 half_to_float(u32 h) {
  const u32 magnitude = h & 0x7fff;
  // Scaling by 2^112 moves the exponent and normalises subnormals in one exact multiplication.
  const f32 scaled = from_bits(magnitude << 13) * from_bits(0x77800000u);
  u32 b = bits(scaled);
  b = magnitude >= 0x7c00 ? (magnitude << 13) + 0x70000000u : b;
  return from_bits(b | (h & 0x8000) << 16);
}

// Round to nearest even; NaN becomes 0x7fff, overflow infinity.
inline u32 float_to_half(f32 v) {
  const u32 b = bits(v);
  const u32 sign = b >> 16 & 0x8000;
  const u32 magnitude = b & 0x7fffffffu;
  // Normal result: add half of the last place minus one plus the lowest kept bit, then shift.
  const u32 normal = (magnitude + 0xfff + (magnitude >> 13 & 1) - 0x38000000u) >> 13;
  // Subnormal result: adding 0.5 aligns the mantissa so that the FPU rounds at 2^-24.
  const f32 aligned = from_bits(magnitude < 0x38800000u ? magnitude : 0) + 0.5f;
  const u32 subnormal = bits(aligned) - 0x3f000000u;
  u32 h = magnitude < 0x38800000u ? subnormal : normal;
  h = magnitude >= 0x47800000u ? 0x7c00u : h;
  h = h > 0x7c00u ? 0x7c00u : h;
  return magnitude > 0x7f800000u ? 0x7fffu : h | sign;
}

inline f32 bfloat_to_float(u32 h) { return from_bits(h << 16); }

inline u32 float_to_bfloat(f32 v) {
  const u32 b = bits(v);
  const u32 rounded = (b + 0x7fff + (b >> 16 & 1)) >> 16;
  return (b & 0x7fffffffu) > 0x7f800000u ? 0x7fffu : rounded;
}

// a·b + c to an odd last bit in 24 bits of precision: rounding that once more to 11 or 8 bits
// gives the single rounding that fma.f16 and fma.bf16 demand.
inline f64 fma_to_odd(f64 product, f64 c) {
  const f64 sum = product + c;
  const f64 back = sum - product;
  const f64 error = (product - (sum - back)) + (c - back);
  u64 b = bits(sum);
  const bool inexact = error != 0 && (b & 1) == 0 && sum - sum == 0;
  // Truncate towards the true value's magnitude: nudge by one unit where the sum was rounded up.
  const bool away = (error < 0) == (sum > 0);
  b = inexact ? (away ? b - 1 : b + 1) : b;
  const u64 sticky = (b & 0x1fffffffu) != 0 ? u64{1} << 29 : 0;
  return sum - sum == 0 ? from_bits((b & ~u64{0x1fffffff}) | sticky) : sum;
}

}  // namespace tcd::emu::TCD_ISA_NAMESPACE
