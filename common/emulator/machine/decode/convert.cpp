// cvt → micro-operations: the common pairs of types have loops of their own (PTX ISA 9.7.9, cvt).
#include "machine/convert.h"

#include "machine/decode/decoder.h"

namespace tcd::emu {
namespace {

using K = TypeName::Kind;

Number number_of(Decoder& x, const TypeName& t) {
  switch (t.kind) {
    case K::kFloat:
      return t.bits == 16 ? Number::kF16 : t.bits == 64 ? Number::kF64 : Number::kF32;
    case K::kBfloat:
      return Number::kBf16;
    case K::kTf32:
      return Number::kTf32;
    case K::kE4m3:
      return Number::kE4m3;
    case K::kE5m2:
      return Number::kE5m2;
    case K::kPred:
      x.unsupported();
    default:
      break;
  }
  const int width = t.bits == 8 ? 0 : t.bits == 16 ? 2 : t.bits == 32 ? 4 : 6;
  return static_cast<Number>(width + (t.is_signed() ? 1 : 0));
}

struct Fast {
  Number to, from;
  bool wide_to, wide_from, half_to;
  Micro micro;
};

// Integer to integer without saturation, by what is kept and how it is extended.
Micro integer_micro(Number to, Number from, bool wide_to, bool wide_from, bool half_to) {
  const unsigned to_bytes = bytes_of(to), from_bytes = bytes_of(from);
  // The narrower type says how many bits count, and its own signedness how they extend.
  const Number core = to_bytes <= from_bytes ? to : from;
  const bool sign = is_signed(core);
  const unsigned bytes = bytes_of(core);
  if (wide_from) {
    if (wide_to && bytes == 8) return Micro::mov_64;
    if (!wide_to && bytes == 4) return Micro::cvt_64_32;
    if (!wide_to && bytes == 2 && (!sign || half_to)) return Micro::cvt_64_16;
    return Micro::kNone;
  }
  if (wide_to) {
    switch (bytes) {
      case 1:
        return sign ? Micro::cvt_s8_64 : Micro::cvt_u8_64;
      case 2:
        return sign ? Micro::cvt_s16_64 : Micro::cvt_u16_64;
      case 4:
        return sign ? Micro::cvt_s32_64 : Micro::cvt_u32_64;
      default:
        return Micro::kNone;
    }
  }
  if (to_bytes > from_bytes && bytes_of(to) == 2 && sign) return Micro::cvt_s8_16;
  switch (bytes) {
    case 1:
      return !sign ? Micro::cvt_u8_32 : half_to ? Micro::cvt_s8_16 : Micro::cvt_s8_32;
    case 2:
      return sign && !half_to ? Micro::cvt_s16_32 : Micro::cvt_u16_32;
    case 4:
      return Micro::mov_32;
    default:
      return Micro::kNone;
  }
}

Micro float_micro(const Conversion& c, bool rounded_to_zero) {
  using N = Number;
  const auto pair = [&](N to, N from) { return c.to == to && c.from == from; };
  if (c.sat || c.relu || c.ftz || c.satfinite) return Micro::kNone;
  if (is_float(c.from) && !is_float(c.to)) {
    if (!rounded_to_zero || c.wide_to) return Micro::kNone;
    if (pair(N::kS32, N::kF32)) return Micro::cvt_s32_f32_rz;
    if (pair(N::kU32, N::kF32)) return Micro::cvt_u32_f32_rz;
    if (pair(N::kS32, N::kF64)) return Micro::cvt_s32_f64_rz;
    return Micro::kNone;
  }
  if (c.integral) return Micro::kNone;
  if (pair(N::kF32, N::kF16)) return Micro::cvt_f32_f16;
  if (pair(N::kF32, N::kBf16)) return Micro::cvt_f32_bf16;
  if (pair(N::kF64, N::kF32)) return Micro::cvt_f64_f32;
  if (c.round != Round::kNearest) return Micro::kNone;
  if (pair(N::kF32, N::kS32)) return Micro::cvt_f32_s32;
  if (pair(N::kF32, N::kU32)) return Micro::cvt_f32_u32;
  if (pair(N::kF64, N::kS32)) return Micro::cvt_f64_s32;
  if (pair(N::kF64, N::kU32)) return Micro::cvt_f64_u32;
  if (pair(N::kF32, N::kF64)) return Micro::cvt_f32_f64;
  if (pair(N::kF16, N::kF32)) return Micro::cvt_f16_f32;
  if (pair(N::kBf16, N::kF32)) return Micro::cvt_bf16_f32;
  return Micro::kNone;
}

// Sources are read from registers as wide as the register is, whatever the type says.
unsigned source_bytes(Decoder& x, const ptx::Operand& o, const TypeName& t) {
  const unsigned have = x.row_bytes(o);
  if (have == 0) return t.bits == 64 ? 8 : 4;
  if (have < t.row_bytes() || have > 8) x.unsupported("the source register does not fit");
  return have;
}

}  // namespace

void decode_cvt(Decoder& x) {
  Modifiers& m = x.mods();
  Conversion c{};
  const int integral = m.take_one_of({"rni", "rzi", "rmi", "rpi"});
  const int round = m.take_one_of({"rn", "rz", "rm", "rp", "rna"});
  c.integral = integral >= 0;
  c.round = static_cast<Round>(integral >= 0 ? integral : round >= 0 ? round : 0);
  c.ftz = m.take("ftz");
  c.sat = m.take("sat");
  c.relu = m.take("relu");
  c.satfinite = m.take("satfinite");
  const TypeName to = m.need_type(), from = m.need_type();
  c.to = number_of(x, to);
  c.from = number_of(x, from);
  if (c.to == Number::kBf16 || c.from == Number::kBf16) x.need_compute(80, "cvt with bf16");
  if (c.to == Number::kTf32) x.need_compute(80, "cvt to tf32");
  if (to.kind == K::kE4m3 || to.kind == K::kE5m2 || from.kind == K::kE4m3 ||
      from.kind == K::kE5m2) {
    x.need_compute(89, "cvt with 8-bit floating point");
  }
  const ptx::Operand& d = x.operand(0);
  if (to.packed && x.operands() == 3) {  // two sources into one register
    const uint32_t rd = x.destination(d, 4);
    const uint32_t a = x.source(x.operand(1), from), b = x.source(x.operand(2), from);
    const bool plain = c.round == Round::kNearest && !c.relu && !c.sat && !c.satfinite && !c.ftz;
    const Micro micro = !plain                  ? Micro::cvt_pack
                        : c.to == Number::kF16  ? Micro::cvt_f16x2_f32
                        : c.to == Number::kBf16 ? Micro::cvt_bf16x2_f32
                                                : Micro::cvt_pack;
    x.emit(micro, rd, a, b).flags = c.pack();
    return;
  }
  if (to.packed || from.packed) {
    if (!to.packed || !from.packed) x.unsupported();
    const uint32_t rd = x.destination(d, 4);
    x.emit(Micro::cvt_unpack, rd, x.source_b32(x.operand(1))).flags = c.pack();
    return;
  }
  const unsigned to_row = x.row_bytes(d);
  if (to_row != 4 && to_row != 8) x.unsupported("the destination does not fit");
  const unsigned from_row = source_bytes(x, x.operand(1), from);
  c.wide_to = to_row == 8;
  c.wide_from = from_row == 8;
  const bool half_to = x.is_half_register(d);
  const uint32_t rd = x.destination(d, to_row);
  const uint32_t ra = x.source_row(x.operand(1), from_row);
  Micro micro = Micro::kNone;
  if (!is_float(c.to) && !is_float(c.from)) {
    if (!c.sat) micro = integer_micro(c.to, c.from, c.wide_to, c.wide_from, half_to);
  } else {
    const bool fits = (bytes_of(c.to) == 8) == c.wide_to && (bytes_of(c.from) == 8) == c.wide_from;
    if (fits) micro = float_micro(c, integral == 1);
  }
  if (micro == Micro::kNone) {
    MicroOp& op = x.emit(Micro::cvt_any, rd, ra);
    op.flags = c.pack();
    op.imm = half_to ? 2 : 0;
    return;
  }
  x.emit(micro, rd, ra);
}

}  // namespace tcd::emu
