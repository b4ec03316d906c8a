// Vectors of 32-bit lanes for the instruction set this translation unit is compiled for.
//
// The kernels beside this file are compiled once an instruction set (TCD_ISA = sse2, avx2, avx512);
// each build lives in its own namespace, so that the linker can never merge an AVX-512 body into
// the SSE2 build. For the same reason nothing here includes a standard header with inline code. A
// vector holds whole quads (4 lanes), the unit in which fragments are laid out.
#pragma once

#include <immintrin.h>

#include <cstdint>

#define TCD_INLINE static inline __attribute__((always_inline))

namespace tcd::emu::TCD_ISA {

#if defined(__AVX512F__)

using Floats = __m512;
using Ints = __m512i;
inline constexpr int kWidth = 16;

TCD_INLINE Floats load(const float* p) { return _mm512_loadu_ps(p); }
TCD_INLINE Ints load(const void* p) { return _mm512_loadu_si512(p); }
TCD_INLINE void store(float* p, Floats v) { _mm512_storeu_ps(p, v); }
TCD_INLINE void store(void* p, Ints v) { _mm512_storeu_si512(p, v); }
TCD_INLINE Floats every(float x) { return _mm512_set1_ps(x); }
TCD_INLINE Ints every(int32_t x) { return _mm512_set1_epi32(x); }
TCD_INLINE Floats every_quad(const float* p) { return _mm512_broadcast_f32x4(_mm_loadu_ps(p)); }
TCD_INLINE Ints every_quad(const int32_t* p) {
  return _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}
template <int t>
TCD_INLINE Floats spread(Floats v) {
  return _mm512_permute_ps(v, t * 0x55);
}
template <int t>
TCD_INLINE Ints spread(Ints v) {
  return _mm512_shuffle_epi32(v, _MM_PERM_ENUM(t * 0x55));
}
TCD_INLINE Ints bits(Floats v) { return _mm512_castps_si512(v); }
TCD_INLINE Floats as_floats(Ints v) { return _mm512_castsi512_ps(v); }
TCD_INLINE Floats add(Floats a, Floats b) { return _mm512_add_ps(a, b); }
TCD_INLINE Floats sub(Floats a, Floats b) { return _mm512_sub_ps(a, b); }
TCD_INLINE Floats mul(Floats a, Floats b) { return _mm512_mul_ps(a, b); }
TCD_INLINE Floats mul_add(Floats a, Floats b, Floats c) { return _mm512_fmadd_ps(a, b, c); }
TCD_INLINE Ints truncate(Floats v) { return _mm512_cvttps_epi32(v); }
TCD_INLINE Ints nearest(Floats v) { return _mm512_cvtps_epi32(v); }
TCD_INLINE Floats to_floats(Ints v) { return _mm512_cvtepi32_ps(v); }
TCD_INLINE Ints add(Ints a, Ints b) { return _mm512_add_epi32(a, b); }
TCD_INLINE Ints sub(Ints a, Ints b) { return _mm512_sub_epi32(a, b); }
TCD_INLINE Ints add16(Ints a, Ints b) { return _mm512_add_epi16(a, b); }
TCD_INLINE Ints max16(Ints a, Ints b) { return _mm512_max_epi16(a, b); }
TCD_INLINE Ints larger(Ints a, Ints b) { return _mm512_max_epi32(a, b); }
TCD_INLINE Ints both(Ints a, Ints b) { return _mm512_and_si512(a, b); }
TCD_INLINE Ints either(Ints a, Ints b) { return _mm512_or_si512(a, b); }
TCD_INLINE Ints differ(Ints a, Ints b) { return _mm512_xor_si512(a, b); }
TCD_INLINE Ints but_not(Ints a, Ints b) { return _mm512_andnot_si512(b, a); }
template <int n>
TCD_INLINE Ints shl(Ints v) {
  return _mm512_slli_epi32(v, n);
}
template <int n>
TCD_INLINE Ints shr(Ints v) {
  return _mm512_srli_epi32(v, n);
}
template <int n>
TCD_INLINE Ints sar(Ints v) {
  return _mm512_srai_epi32(v, n);
}
TCD_INLINE Ints greater(Ints a, Ints b) { return _mm512_movm_epi32(_mm512_cmpgt_epi32_mask(a, b)); }
TCD_INLINE Ints select(Ints mask, Ints yes, Ints no) {
  return _mm512_ternarylogic_epi32(mask, yes, no, 0xca);
}
TCD_INLINE Floats low_half(Ints v) { return _mm512_cvtph_ps(_mm512_cvtepi32_epi16(v)); }
TCD_INLINE Floats high_half(Ints v) { return _mm512_cvtph_ps(_mm512_cvtepi32_epi16(shr<16>(v))); }
TCD_INLINE Ints round_to_half(Floats v) {
  return _mm512_cvtepu16_epi32(_mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}
TCD_INLINE Floats unsigned_toward_zero(Ints v) {
  return _mm512_cvt_roundepu32_ps(v, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
}
TCD_INLINE Ints to_unsigned(Floats v) { return _mm512_cvttps_epu32(v); }
TCD_INLINE uint32_t or_lanes(Ints v) { return uint32_t(_mm512_reduce_or_epi32(v)); }
TCD_INLINE bool nonzero(Ints v) { return _mm512_test_epi32_mask(v, v) != 0; }
// What some lanes have in common, collected without a reduction for each question.
using Mask = __mmask16;
TCD_INLINE Mask no_lane() { return 0; }
TCD_INLINE Mask either_mask(Mask a, Mask b) { return Mask(a | b); }
TCD_INLINE bool any_lane(Mask m) { return m != 0; }
TCD_INLINE Mask not_less(Floats a, Floats b) { return _mm512_cmp_ps_mask(a, b, _CMP_NLT_UQ); }
TCD_INLINE Mask unequal(Floats a, Floats b) { return _mm512_cmp_ps_mask(a, b, _CMP_NEQ_UQ); }
TCD_INLINE Mask less(Ints a, Ints b) { return _mm512_cmplt_epi32_mask(a, b); }
// a + b in the lanes of m, otherwise in the others.
TCD_INLINE Floats add_where(Mask m, Floats otherwise, Floats a, Floats b) {
  return _mm512_mask_add_ps(otherwise, m, a, b);
}
TCD_INLINE Floats signed_toward_zero(Ints v) {
  return _mm512_cvt_roundepi32_ps(v, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
}
TCD_INLINE int32_t max_lanes(Ints v) { return _mm512_reduce_max_epi32(v); }

#elif defined(__AVX2__)

using Floats = __m256;
using Ints = __m256i;
inline constexpr int kWidth = 8;

TCD_INLINE Floats load(const float* p) { return _mm256_loadu_ps(p); }
TCD_INLINE Ints load(const void* p) { return _mm256_loadu_si256(static_cast<const Ints*>(p)); }
TCD_INLINE void store(float* p, Floats v) { _mm256_storeu_ps(p, v); }
TCD_INLINE void store(void* p, Ints v) { _mm256_storeu_si256(static_cast<Ints*>(p), v); }
TCD_INLINE Floats every(float x) { return _mm256_set1_ps(x); }
TCD_INLINE Ints every(int32_t x) { return _mm256_set1_epi32(x); }
TCD_INLINE Floats every_quad(const float* p) {
  return _mm256_broadcast_ps(reinterpret_cast<const __m128*>(p));
}
TCD_INLINE Ints every_quad(const int32_t* p) {
  return _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}
template <int t>
TCD_INLINE Floats spread(Floats v) {
  return _mm256_permute_ps(v, t * 0x55);
}
template <int t>
TCD_INLINE Ints spread(Ints v) {
  return _mm256_shuffle_epi32(v, t * 0x55);
}
TCD_INLINE Ints bits(Floats v) { return _mm256_castps_si256(v); }
TCD_INLINE Floats as_floats(Ints v) { return _mm256_castsi256_ps(v); }
TCD_INLINE Floats add(Floats a, Floats b) { return _mm256_add_ps(a, b); }
TCD_INLINE Floats sub(Floats a, Floats b) { return _mm256_sub_ps(a, b); }
TCD_INLINE Floats mul(Floats a, Floats b) { return _mm256_mul_ps(a, b); }
TCD_INLINE Floats mul_add(Floats a, Floats b, Floats c) { return _mm256_fmadd_ps(a, b, c); }
TCD_INLINE Ints truncate(Floats v) { return _mm256_cvttps_epi32(v); }
TCD_INLINE Ints nearest(Floats v) { return _mm256_cvtps_epi32(v); }
TCD_INLINE Floats to_floats(Ints v) { return _mm256_cvtepi32_ps(v); }
TCD_INLINE Ints add(Ints a, Ints b) { return _mm256_add_epi32(a, b); }
TCD_INLINE Ints sub(Ints a, Ints b) { return _mm256_sub_epi32(a, b); }
TCD_INLINE Ints add16(Ints a, Ints b) { return _mm256_add_epi16(a, b); }
TCD_INLINE Ints max16(Ints a, Ints b) { return _mm256_max_epi16(a, b); }
TCD_INLINE Ints larger(Ints a, Ints b) { return _mm256_max_epi32(a, b); }
TCD_INLINE Ints both(Ints a, Ints b) { return _mm256_and_si256(a, b); }
TCD_INLINE Ints either(Ints a, Ints b) { return _mm256_or_si256(a, b); }
TCD_INLINE Ints differ(Ints a, Ints b) { return _mm256_xor_si256(a, b); }
TCD_INLINE Ints but_not(Ints a, Ints b) { return _mm256_andnot_si256(b, a); }
template <int n>
TCD_INLINE Ints shl(Ints v) {
  return _mm256_slli_epi32(v, n);
}
template <int n>
TCD_INLINE Ints shr(Ints v) {
  return _mm256_srli_epi32(v, n);
}
template <int n>
TCD_INLINE Ints sar(Ints v) {
  return _mm256_srai_epi32(v, n);
}
TCD_INLINE Ints greater(Ints a, Ints b) { return _mm256_cmpgt_epi32(a, b); }
TCD_INLINE Ints select(Ints mask, Ints yes, Ints no) { return _mm256_blendv_epi8(no, yes, mask); }
// Keeps the low 16 bits of every lane, which must be below 0x10000.
TCD_INLINE __m128i narrow(Ints v) {
  return _mm256_castsi256_si128(_mm256_permute4x64_epi64(_mm256_packus_epi32(v, v), 0x08));
}
TCD_INLINE Floats low_half(Ints v) { return _mm256_cvtph_ps(narrow(both(v, every(0xffff)))); }
TCD_INLINE Floats high_half(Ints v) { return _mm256_cvtph_ps(narrow(shr<16>(v))); }
TCD_INLINE Ints round_to_half(Floats v) {
  return _mm256_cvtepu16_epi32(_mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
}
TCD_INLINE bool nonzero(Ints v) { return _mm256_testz_si256(v, v) == 0; }
using Mask = __m256;
TCD_INLINE Mask no_lane() { return _mm256_setzero_ps(); }
TCD_INLINE Mask either_mask(Mask a, Mask b) { return _mm256_or_ps(a, b); }
TCD_INLINE bool any_lane(Mask m) { return _mm256_movemask_ps(m) != 0; }
TCD_INLINE Mask not_less(Floats a, Floats b) { return _mm256_cmp_ps(a, b, _CMP_NLT_UQ); }
TCD_INLINE Mask unequal(Floats a, Floats b) { return _mm256_cmp_ps(a, b, _CMP_NEQ_UQ); }
TCD_INLINE Mask less(Ints a, Ints b) { return _mm256_castsi256_ps(_mm256_cmpgt_epi32(b, a)); }
TCD_INLINE Floats add_where(Mask m, Floats otherwise, Floats a, Floats b) {
  return _mm256_blendv_ps(otherwise, _mm256_add_ps(a, b), m);
}
TCD_INLINE uint32_t or_lanes(Ints v) {
  __m128i x = _mm_or_si128(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
  x = _mm_or_si128(x, _mm_shuffle_epi32(x, 0x4e));
  x = _mm_or_si128(x, _mm_shuffle_epi32(x, 0xb1));
  return uint32_t(_mm_cvtsi128_si32(x));
}
TCD_INLINE int32_t max_lanes(Ints v) {
  __m128i x = _mm_max_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
  x = _mm_max_epi32(x, _mm_shuffle_epi32(x, 0x4e));
  x = _mm_max_epi32(x, _mm_shuffle_epi32(x, 0xb1));
  return _mm_cvtsi128_si32(x);
}

#else  // SSE2, which every x86-64 has

using Floats = __m128;
using Ints = __m128i;
inline constexpr int kWidth = 4;

TCD_INLINE Floats load(const float* p) { return _mm_loadu_ps(p); }
TCD_INLINE Ints load(const void* p) { return _mm_loadu_si128(static_cast<const Ints*>(p)); }
TCD_INLINE void store(float* p, Floats v) { _mm_storeu_ps(p, v); }
TCD_INLINE void store(void* p, Ints v) { _mm_storeu_si128(static_cast<Ints*>(p), v); }
TCD_INLINE Floats every(float x) { return _mm_set1_ps(x); }
TCD_INLINE Ints every(int32_t x) { return _mm_set1_epi32(x); }
TCD_INLINE Floats every_quad(const float* p) { return _mm_loadu_ps(p); }
TCD_INLINE Ints every_quad(const int32_t* p) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
}
template <int t>
TCD_INLINE Floats spread(Floats v) {
  return _mm_shuffle_ps(v, v, t * 0x55);
}
template <int t>
TCD_INLINE Ints spread(Ints v) {
  return _mm_shuffle_epi32(v, t * 0x55);
}
TCD_INLINE Ints bits(Floats v) { return _mm_castps_si128(v); }
TCD_INLINE Floats as_floats(Ints v) { return _mm_castsi128_ps(v); }
TCD_INLINE Floats add(Floats a, Floats b) { return _mm_add_ps(a, b); }
TCD_INLINE Floats sub(Floats a, Floats b) { return _mm_sub_ps(a, b); }
TCD_INLINE Floats mul(Floats a, Floats b) { return _mm_mul_ps(a, b); }
// Two roundings: callers use it only where both are exact, or for the class of a special result.
TCD_INLINE Floats mul_add(Floats a, Floats b, Floats c) { return _mm_add_ps(_mm_mul_ps(a, b), c); }
TCD_INLINE Ints truncate(Floats v) { return _mm_cvttps_epi32(v); }
TCD_INLINE Ints nearest(Floats v) { return _mm_cvtps_epi32(v); }
TCD_INLINE Floats to_floats(Ints v) { return _mm_cvtepi32_ps(v); }
TCD_INLINE Ints add(Ints a, Ints b) { return _mm_add_epi32(a, b); }
TCD_INLINE Ints sub(Ints a, Ints b) { return _mm_sub_epi32(a, b); }
TCD_INLINE Ints add16(Ints a, Ints b) { return _mm_add_epi16(a, b); }
TCD_INLINE Ints max16(Ints a, Ints b) { return _mm_max_epi16(a, b); }
TCD_INLINE Ints both(Ints a, Ints b) { return _mm_and_si128(a, b); }
TCD_INLINE Ints either(Ints a, Ints b) { return _mm_or_si128(a, b); }
TCD_INLINE Ints differ(Ints a, Ints b) { return _mm_xor_si128(a, b); }
TCD_INLINE Ints but_not(Ints a, Ints b) { return _mm_andnot_si128(b, a); }
TCD_INLINE Ints greater(Ints a, Ints b) { return _mm_cmpgt_epi32(a, b); }
TCD_INLINE Ints select(Ints mask, Ints yes, Ints no) {
  return either(both(mask, yes), but_not(no, mask));
}
TCD_INLINE Ints larger(Ints a, Ints b) { return select(greater(a, b), a, b); }
template <int n>
TCD_INLINE Ints shl(Ints v) {
  return _mm_slli_epi32(v, n);
}
template <int n>
TCD_INLINE Ints shr(Ints v) {
  return _mm_srli_epi32(v, n);
}
template <int n>
TCD_INLINE Ints sar(Ints v) {
  return _mm_srai_epi32(v, n);
}
// FP16 in the low 16 bits, high bits zero. The fraction shifted into FP32's place is 2^112 too
// small; that product is exact, subnormals included. Exponent 31 becomes 255.
TCD_INLINE Floats widen_half(Ints h) {
  Ints magnitude = both(h, every(0x7fff));
  Ints widened = bits(mul(as_floats(shl<13>(magnitude)), every(0x1p112f)));
  Ints special = both(greater(magnitude, every(0x7bff)), every(0x7f800000));
  return as_floats(either(either(widened, special), shl<16>(both(h, every(0x8000)))));
}
TCD_INLINE Floats low_half(Ints v) { return widen_half(both(v, every(0xffff))); }
TCD_INLINE Floats high_half(Ints v) { return widen_half(shr<16>(v)); }
// Nearest even: integer rounding for normal results, the adder's own rounding (0.5 has an ulp of
// 2^-24, FP16's smallest step) for subnormal ones.
TCD_INLINE Ints round_to_half(Floats v) {
  Ints sign = shr<16>(both(bits(v), every(int32_t(0x80000000u))));
  Ints x = both(bits(v), every(0x7fffffff));
  Ints odd = both(shr<13>(x), every(1));
  Ints normal = sub(shr<13>(add(add(x, every(0xfff)), odd)), every(112 << 10));
  Ints tiny = sub(bits(add(as_floats(x), every(0.5f))), every(0x3f000000));
  Ints result = select(greater(every(0x38800000), x), tiny, normal);
  result = select(greater(x, every(0x477fffff)), every(0x7c00), result);
  result = select(greater(x, every(0x7f800000)), every(0x7fff), result);
  return either(result, sign);
}
TCD_INLINE bool nonzero(Ints v) {
  return _mm_movemask_epi8(_mm_cmpeq_epi32(v, _mm_setzero_si128())) != 0xffff;
}
using Mask = __m128;
TCD_INLINE Mask no_lane() { return _mm_setzero_ps(); }
TCD_INLINE Mask either_mask(Mask a, Mask b) { return _mm_or_ps(a, b); }
TCD_INLINE bool any_lane(Mask m) { return _mm_movemask_ps(m) != 0; }
TCD_INLINE Mask not_less(Floats a, Floats b) { return _mm_cmpnlt_ps(a, b); }
TCD_INLINE Mask unequal(Floats a, Floats b) { return _mm_cmpneq_ps(a, b); }
TCD_INLINE Mask less(Ints a, Ints b) { return _mm_castsi128_ps(_mm_cmplt_epi32(a, b)); }
TCD_INLINE Floats add_where(Mask m, Floats otherwise, Floats a, Floats b) {
  return _mm_or_ps(_mm_and_ps(m, _mm_add_ps(a, b)), _mm_andnot_ps(m, otherwise));
}
TCD_INLINE uint32_t or_lanes(Ints v) {
  v = either(v, _mm_shuffle_epi32(v, 0x4e));
  v = either(v, _mm_shuffle_epi32(v, 0xb1));
  return uint32_t(_mm_cvtsi128_si32(v));
}
TCD_INLINE int32_t max_lanes(Ints v) {
  v = larger(v, _mm_shuffle_epi32(v, 0x4e));
  v = larger(v, _mm_shuffle_epi32(v, 0xb1));
  return _mm_cvtsi128_si32(v);
}

#endif

// Shared by the three builds.
TCD_INLINE Ints magnitude_bits(Floats v) { return both(bits(v), every(0x7fffffff)); }
TCD_INLINE Floats select(Ints mask, Floats yes, Floats no) {
  return as_floats(select(mask, bits(yes), bits(no)));
}

}  // namespace tcd::emu::TCD_ISA
