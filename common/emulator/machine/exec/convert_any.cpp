// Every other conversion, a lane at a time: any pair of types, any rounding, saturation.
#include <limits>

#include "machine/convert.h"
#include "machine/exec/float_rules.h"

namespace tcd::emu::TCD_ISA_NAMESPACE {
namespace {

using wide = long double;  // 64 bits of mantissa: holds every s64, u64 and f64 exactly

wide round_integral(wide v, Round round) {
  switch (round) {
    case Round::kZero:
      return std::trunc(v);
    case Round::kDown:
      return std::floor(v);
    case Round::kUp:
      return std::ceil(v);
    case Round::kNearestAway:
      return std::round(v);
    default:
      return std::nearbyint(v);
  }
}

struct Format {
  int mantissa_bits, exponent_bits;
  bool has_infinity;  // e4m3 has none: its largest code is NaN
};

Format format_of(Number n) {
  switch (n) {
    case Number::kF16:
      return {10, 5, true};
    case Number::kBf16:
      return {7, 8, true};
    case Number::kF32:
      return {23, 8, true};
    case Number::kTf32:
      return {10, 8, true};
    case Number::kE4m3:
      return {3, 4, false};
    case Number::kE5m2:
      return {2, 5, true};
    default:
      return {52, 11, true};
  }
}

// One rounding from the exact value to any binary format; returns its bits.
u64 encode(wide v, const Format& f, const Conversion& c) {
  const u64 infinity = ((u64{1} << f.exponent_bits) - 1) << f.mantissa_bits;
  const u64 sign = u64{std::signbit(v)} << (f.mantissa_bits + f.exponent_bits);
  const u64 largest = f.has_infinity ? infinity - 1 : infinity | ((u64{1} << f.mantissa_bits) - 2);
  if (v != v) {
    if (f.mantissa_bits == 52) return 0x7ff8000000000000u;
    return infinity | ((u64{1} << f.mantissa_bits) - 1);
  }
  const wide size = std::fabs(v);
  if (size == std::numeric_limits<wide>::infinity()) {
    return sign | (c.satfinite ? largest : f.has_infinity ? infinity : largest + 1);
  }
  if (size == 0) return sign;
  const int bias = (1 << (f.exponent_bits - 1)) - 1, lowest = 1 - bias;
  const int exponent = std::max(std::ilogb(size), lowest);
  Round round = c.round;
  if (round == Round::kDown)
    round = std::signbit(v) ? Round::kNearestAway : Round::kZero;
  else if (round == Round::kUp)
    round = std::signbit(v) ? Round::kZero : Round::kNearestAway;
  // From here kNearestAway stands for "away from zero" when the direction was given.
  const bool directed = c.round == Round::kDown || c.round == Round::kUp;
  const wide scaled = std::ldexp(size, f.mantissa_bits - exponent);
  const wide whole =
      directed && round == Round::kNearestAway ? std::ceil(scaled) : round_integral(scaled, round);
  u64 code = static_cast<u64>(whole);
  if (code >= u64{1} << f.mantissa_bits) {
    code += static_cast<u64>(exponent - lowest) << f.mantissa_bits;
  }
  if (code > largest) {
    const bool to_infinity = c.round == Round::kNearest || c.round == Round::kNearestAway ||
                             (directed && round == Round::kNearestAway);
    code = to_infinity && !c.satfinite ? (f.has_infinity ? infinity : largest + 1) : largest;
  }
  return sign | code;
}

wide decode(u64 raw, Number n) {
  switch (n) {
    case Number::kU8:
      return static_cast<u8>(raw);
    case Number::kS8:
      return static_cast<s8>(raw);
    case Number::kU16:
      return static_cast<u16>(raw);
    case Number::kS16:
      return static_cast<s16>(raw);
    case Number::kU32:
      return static_cast<u32>(raw);
    case Number::kS32:
      return static_cast<s32>(raw);
    case Number::kU64:
      return static_cast<wide>(raw);
    case Number::kS64:
      return static_cast<wide>(static_cast<s64>(raw));
    case Number::kF16:
      return half_to_float(raw & 0xffff);
    case Number::kBf16:
      return bfloat_to_float(raw & 0xffff);
    case Number::kF64:
      return from_bits(raw);
    case Number::kE5m2:
      return half_to_float((raw & 0xff) << 8);
    case Number::kE4m3: {
      const u32 magnitude = raw & 0x7f;
      if (magnitude == 0x7f) return std::numeric_limits<wide>::quiet_NaN();
      const int exponent = static_cast<int>(magnitude >> 3);
      const wide fraction = static_cast<wide>(magnitude & 7) + (exponent != 0 ? 8 : 0);
      const wide v = std::ldexp(fraction, (exponent != 0 ? exponent : 1) - 10);
      return (raw & 0x80) != 0 ? -v : v;
    }
    default:
      return from_bits(static_cast<u32>(raw));
  }
}

u64 to_integer(wide v, const Conversion& c) {
  const unsigned width = bytes_of(c.to) * 8;
  const bool is_negative_allowed = is_signed(c.to);
  const wide low = is_negative_allowed ? -std::ldexp(wide{1}, static_cast<int>(width) - 1) : 0;
  const wide high =
      std::ldexp(wide{1}, static_cast<int>(width) - (is_negative_allowed ? 1 : 0)) - 1;
  if (v != v) return 0;
  if (v <= low) v = low;
  if (v >= high) v = high;
  return is_negative_allowed ? static_cast<u64>(static_cast<s64>(v)) : static_cast<u64>(v);
}

u64 extend(u64 raw, Number n, bool wide_register) {
  switch (n) {
    case Number::kU8:
      return static_cast<u8>(raw);
    case Number::kS8:
      raw = static_cast<u64>(s64{static_cast<s8>(raw)});
      break;
    case Number::kU16:
      return static_cast<u16>(raw);
    case Number::kS16:
      raw = static_cast<u64>(s64{static_cast<s16>(raw)});
      break;
    case Number::kU32:
      return static_cast<u32>(raw);
    case Number::kS32:
      raw = static_cast<u64>(s64{static_cast<s32>(raw)});
      break;
    default:
      return raw;
  }
  return wide_register ? raw : static_cast<u32>(raw);
}

// What becomes of a NaN depends on the units the conversion runs on (recorded on an H200): double
// precision on either side keeps sign and payload, integers of 64 bits or from f64 get their top
// bit, everything else its canonical NaN or 0.
u64 convert_nan(u64 raw, const Conversion& c) {
  const bool from_wide = c.from == Number::kF64;
  if (!is_float(c.to)) {
    const unsigned width = bytes_of(c.to) * 8;
    if (!from_wide && width < 64) return 0;
    return extend(u64{1} << (width - 1), c.to, c.wide_to);
  }
  if (from_wide && c.to == Number::kF64) return raw | u64{1} << 51;
  if (from_wide && c.to == Number::kF32) return bits(narrow_nan(0, from_bits(raw)));
  if (from_wide && c.to == Number::kF16) {
    return (raw >> 48 & 0x8000) | 0x7e00 | (raw >> 42 & 0x3ff);
  }
  if (c.to == Number::kF64 && c.from == Number::kF32) {
    return bits(widen_nan(0, from_bits(c.ftz ? 0x7fffffffu : static_cast<u32>(raw))));
  }
  if (c.to == Number::kF64 && c.from == Number::kF16) {
    return (raw & 0x8000) << 48 | 0x7ff8000000000000u | (raw & 0x3ff) << 42;
  }
  if (c.to == Number::kTf32 && c.round == Round::kNearestAway) return raw & 0xffffe000u;
  const u64 code = encode(std::numeric_limits<wide>::quiet_NaN(), format_of(c.to), c);
  return c.to == Number::kTf32 ? code << 13 : code;
}

u64 convert(u64 raw, const Conversion& c) {
  if (!is_float(c.from) && !is_float(c.to)) {
    return extend(c.sat ? to_integer(decode(raw, c.from), c) : extend(raw, c.from, true), c.to,
                  c.wide_to);
  }
  wide v = decode(raw, c.from);
  if (v != v && !c.sat) return convert_nan(raw, c);
  if (c.ftz && c.from == Number::kF32 && std::fabs(v) < std::numeric_limits<f32>::min()) {
    v = std::copysign(wide{0}, v);
  }
  if (!is_float(c.to)) return extend(to_integer(round_integral(v, c.round), c), c.to, c.wide_to);
  if (c.integral) v = round_integral(v, c.round);
  if (c.sat) v = v > 0 ? (v < 1 ? v : 1) : 0;
  if (c.relu && std::signbit(v)) v = 0;
  u64 code = encode(v, format_of(c.to), c);
  if (c.to == Number::kTf32) code <<= 13;
  if (c.to == Number::kF32 && c.ftz && (code & 0x7f800000u) == 0) code &= 0x80000000u;
  return code;
}

const MicroOp* cvt_any(Warp& w, const MicroOp* op, u32 mask) {
  const Conversion c = Conversion::unpack(op->flags);
  const std::byte* a = w.regs + op->a;
  std::byte* d = w.regs + op->d;
  const bool keep_sign16 = !c.wide_to && op->imm == 2;  // a 16-bit register: upper half stays zero
  each_lane(mask, [&](int i) {
    const u64 raw =
        c.wide_from ? reinterpret_cast<const u64*>(a)[i] : reinterpret_cast<const u32*>(a)[i];
    const u64 r = convert(raw, c);
    if (c.wide_to) {
      reinterpret_cast<u64*>(d)[i] = r;
    } else {
      reinterpret_cast<u32*>(d)[i] = static_cast<u32>(r) & (keep_sign16 ? 0xffffu : ~0u);
    }
  });
  return op + 1;
}

// Packed destinations from two sources: a becomes the high element (f16x2, bf16x2, e4m3x2, …).
const MicroOp* cvt_pack(Warp& w, const MicroOp* op, u32 mask) {
  const Conversion c = Conversion::unpack(op->flags);
  const u32* a = row<u32>(w, op->a);
  const u32* b = row<u32>(w, op->b);
  u32* d = row<u32>(w, op->d);
  const unsigned shift = bytes_of(c.to) * 8;
  each_lane(mask,
            [&](int i) { d[i] = static_cast<u32>(convert(a[i], c) << shift | convert(b[i], c)); });
  return op + 1;
}

// Two packed small floats to two halves, each in its place (cvt.rn.f16x2.e4m3x2).
const MicroOp* cvt_unpack(Warp& w, const MicroOp* op, u32 mask) {
  const Conversion c = Conversion::unpack(op->flags);
  const u32* a = row<u32>(w, op->a);
  u32* d = row<u32>(w, op->d);
  const unsigned from = bytes_of(c.from) * 8, to = bytes_of(c.to) * 8;
  each_lane(mask, [&](int i) {
    d[i] = static_cast<u32>(convert(a[i] >> from, c) << to | convert(a[i], c));
  });
  return op + 1;
}

}  // namespace

void fill_convert_any(Table& t) {
  bind_handler(t, Micro::cvt_any, &cvt_any);
  bind_handler(t, Micro::cvt_pack, &cvt_pack);
  bind_handler(t, Micro::cvt_unpack, &cvt_unpack);
}

}  // namespace tcd::emu::TCD_ISA_NAMESPACE
