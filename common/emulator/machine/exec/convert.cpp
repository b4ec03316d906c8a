// The conversions programs are full of, in vector loops (PTX ISA 9.7.9, cvt). Everything else is
// in convert_any.cpp.
#include "machine/exec/float_rules.h"

namespace tcd::emu::TCD_ISA_NAMESPACE {
namespace {

// Out-of-range values saturate, NaN becomes 0 (from f32; conversions of f64 make 2^31 of it).
inline s32 to_s32(f64 v) {
  const bool inside = v > -2147483649.0 && v < 2147483648.0;
  const s32 r = static_cast<s32>(inside ? v : 0.0);
  return inside ? r : v > 0 ? INT32_MAX : v < 0 ? INT32_MIN : 0;
}
inline s32 to_s32(f32 v) {
  const bool inside = v >= -2147483648.0f && v < 2147483648.0f;
  const s32 r = static_cast<s32>(inside ? v : 0.0f);
  return inside ? r : v > 0 ? INT32_MAX : v < 0 ? INT32_MIN : 0;
}
inline u32 to_u32(f32 v) {
  const bool inside = v > -1.0f && v < 4294967296.0f;
  const u32 r = static_cast<u32>(static_cast<s64>(inside ? v : 0.0f));
  return inside ? r : v > 0 ? UINT32_MAX : 0;
}

void fill_extend(Table& t) {
  bind(t, Micro::cvt_s8_32, [](u32 a) { return s32{static_cast<s8>(a)}; });
  bind(t, Micro::cvt_u8_32, [](u32 a) { return a & 0xff; });
  bind(t, Micro::cvt_s16_32, [](u32 a) { return s32{static_cast<s16>(a)}; });
  bind(t, Micro::cvt_u16_32, [](u32 a) { return a & 0xffff; });
  bind(t, Micro::cvt_s8_16,
       [](u32 a) { return static_cast<u32>(s32{static_cast<s8>(a)}) & 0xffff; });
  bind(t, Micro::cvt_s32_64, [](s32 a) { return s64{a}; });
  bind(t, Micro::cvt_u32_64, [](u32 a) { return u64{a}; });
  bind(t, Micro::cvt_s8_64, [](u32 a) { return s64{static_cast<s8>(a)}; });
  bind(t, Micro::cvt_u8_64, [](u32 a) { return u64{a & 0xff}; });
  bind(t, Micro::cvt_s16_64, [](u32 a) { return s64{static_cast<s16>(a)}; });
  bind(t, Micro::cvt_u16_64, [](u32 a) { return u64{a & 0xffff}; });
  bind(t, Micro::cvt_64_32, [](u64 a) { return static_cast<u32>(a); });
  bind(t, Micro::cvt_64_16, [](u64 a) { return static_cast<u32>(a & 0xffff); });
}

// Named destination_source.
void fill_float(Table& t) {
  bind(t, Micro::cvt_f32_s32, [](s32 a) { return static_cast<f32>(a); });
  bind(t, Micro::cvt_f32_u32, [](u32 a) { return static_cast<f32>(a); });
  bind(t, Micro::cvt_f64_s32, [](s32 a) { return static_cast<f64>(a); });
  bind(t, Micro::cvt_f64_u32, [](u32 a) { return static_cast<f64>(a); });
  bind(t, Micro::cvt_s32_f32_rz, [](f32 a) { return to_s32(a); });
  bind(t, Micro::cvt_u32_f32_rz, [](f32 a) { return to_u32(a); });
  bind(t, Micro::cvt_s32_f64_rz, [](f64 a) { return a == a ? to_s32(a) : INT32_MIN; });
  bind(t, Micro::cvt_f32_f64, [](f64 a) { return narrow_nan(static_cast<f32>(a), a); });
  bind(t, Micro::cvt_f64_f32, [](f32 a) { return widen_nan(static_cast<f64>(a), a); });
  bind(t, Micro::cvt_f16_f32, [](f32 a) { return float_to_half(a); });
  bind(t, Micro::cvt_f32_f16, [](u32 a) { return canonical(half_to_float(a & 0xffff)); });
  bind(t, Micro::cvt_bf16_f32, [](f32 a) { return float_to_bfloat(a); });
  bind(t, Micro::cvt_f32_bf16, [](u32 a) { return bfloat_to_float(a & 0xffff); });
  // d = {a, b}: a goes to the high half.
  bind(t, Micro::cvt_f16x2_f32,
       [](f32 a, f32 b) { return float_to_half(a) << 16 | float_to_half(b); });
  bind(t, Micro::cvt_bf16x2_f32,
       [](f32 a, f32 b) { return float_to_bfloat(a) << 16 | float_to_bfloat(b); });
}

}  // namespace

void fill_convert(Table& t) {
  fill_extend(t);
  fill_float(t);
}

}  // namespace tcd::emu::TCD_ISA_NAMESPACE
