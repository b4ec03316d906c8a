// Arithmetic opcodes → micro-operations (PTX ISA 9.7.1, 9.7.2, 9.7.3).
#include "machine/decode/decoder.h"
#include "machine/decode/half.h"

namespace tcd::emu {
namespace {

// As exec/float_rules.h: rounding in bits 0–1, kFtz 4, kSat 8, operation from bit 4.
constexpr uint32_t kFtz = 4, kSat = 8, kOpShift = 4;

struct FloatVariant {
  uint32_t round = 0;
  bool ftz = false, sat = false;
  uint32_t flags(uint32_t operation) const {
    return round | (ftz ? kFtz : 0) | (sat ? kSat : 0) | operation << kOpShift;
  }
};

FloatVariant take_variant(Modifiers& m) {
  FloatVariant v;
  const int round = m.take_one_of({"rn", "rz", "rm", "rp"});
  v.round = round < 0 ? 0 : static_cast<uint32_t>(round);
  v.ftz = m.take("ftz");
  v.sat = m.take("sat");
  return v;
}

struct Ternary {
  uint32_t d, a, b, c;
};

// Operands of `count` sources, all of one type.
Ternary read(Decoder& x, const TypeName& t, size_t count) {
  Ternary r{};
  const unsigned bytes = t.packed ? 4 : t.row_bytes();
  r.d = x.destination(x.operand(0), bytes);
  r.a = x.source(x.operand(1), t);
  r.b = count > 1 ? x.source(x.operand(2), t) : r.a;
  r.c = count > 2 ? x.source(x.operand(3), t) : r.a;
  return r;
}

void emit_ternary(Decoder& x, Micro micro, const Ternary& r, uint32_t flags = 0) {
  x.emit(micro, r.d, r.a, r.b, r.c).flags = flags;
}

// operation: 0 add, 1 sub, 2 mul, 3 fma
void decode_float(Decoder& x, const TypeName& t, uint32_t operation) {
  const FloatVariant v = take_variant(x.mods());
  const Ternary r = read(x, t, operation == 3 ? 3 : 2);
  const bool plain = v.round == 0 && !v.sat;
  if (t.bits == 64) {
    constexpr Micro kFast[] = {Micro::add_f64, Micro::sub_f64, Micro::mul_f64, Micro::fma_f64};
    emit_ternary(x, plain ? kFast[operation] : Micro::arith_f64, r, v.flags(operation));
    return;
  }
  constexpr Micro kFast[] = {Micro::add_f32, Micro::sub_f32, Micro::mul_f32, Micro::fma_f32};
  constexpr Micro kFtzFast[] = {Micro::add_ftz_f32, Micro::sub_ftz_f32, Micro::mul_ftz_f32,
                                Micro::fma_ftz_f32};
  const Micro micro = !plain ? Micro::arith_f32 : v.ftz ? kFtzFast[operation] : kFast[operation];
  emit_ternary(x, micro, r, v.flags(operation));
}

Micro by_width(const TypeName& t, Micro m16, Micro m32, Micro m64) {
  return t.bits == 16 ? m16 : t.bits == 64 ? m64 : m32;
}

void decode_add_sub(Decoder& x, bool subtract) {
  Modifiers& m = x.mods();
  const bool cc = m.take("cc");
  const TypeName t = m.need_type();
  if (t.is_half()) return decode_half_arith(x, t, subtract ? 1 : 0);
  if (t.is_float()) return decode_float(x, t, subtract ? 1 : 0);
  const Ternary r = read(x, t, 2);
  if (cc) {
    emit_ternary(x, t.bits == 64 ? Micro::carry_add_64 : Micro::carry_add_32, r,
                 2u | (subtract ? 4u : 0u));
    return;
  }
  if (t.packed) {
    if (subtract) x.unsupported();
    return emit_ternary(x, Micro::add_16x2, r);
  }
  if (m.take("sat")) {
    if (!t.is(TypeName::Kind::kSigned, 32)) x.unsupported(".sat is for s32");
    return emit_ternary(x, subtract ? Micro::sub_sat_s32 : Micro::add_sat_s32, r);
  }
  emit_ternary(x,
               subtract ? by_width(t, Micro::sub_16, Micro::sub_32, Micro::sub_64)
                        : by_width(t, Micro::add_16, Micro::add_32, Micro::add_64),
               r);
}

Micro signed_choice(const TypeName& t, const Micro (&m)[6]) {
  const int width = t.bits == 16 ? 0 : t.bits == 64 ? 4 : 2;
  return m[width + (t.is_signed() ? 0 : 1)];
}

void decode_wide(Decoder& x, const TypeName& t, Micro s16, Micro u16, Micro s32, Micro u32,
                 bool accumulate) {
  if (t.bits == 64) x.unsupported(".wide of 64 bits");
  const unsigned wide = t.bits == 16 ? 4 : 8;
  const uint32_t d = x.destination(x.operand(0), wide);
  const uint32_t a = x.source(x.operand(1), t), b = x.source(x.operand(2), t);
  const uint32_t c = accumulate ? x.source_row(x.operand(3), wide) : 0;
  const Micro micro = t.bits == 16 ? (t.is_signed() ? s16 : u16) : (t.is_signed() ? s32 : u32);
  x.emit(micro, d, a, b, c);
}

void decode_minmax(Decoder& x, bool greatest) {
  Modifiers& m = x.mods();
  const TypeName t = m.need_type();
  if (t.is_half()) return decode_half_minmax(x, t, greatest);
  if (t.is_float()) {
    uint32_t flags = greatest ? 1 : 0;
    if (m.take("ftz")) flags |= kFtz;
    if (m.take("NaN")) flags |= 2;
    if (m.take("xorsign")) {
      m.take("abs");
      flags |= 8;
    }
    const bool three = x.operands() == 4;
    if (three) flags |= 16;
    const Ternary r = read(x, t, three ? 3 : 2);
    if (t.bits == 64) {
      if ((flags & ~1u) != 0) x.unsupported();
      return emit_ternary(x, greatest ? Micro::max_f64 : Micro::min_f64, r);
    }
    const bool plain = (flags & ~1u) == 0;
    return emit_ternary(x,
                        !plain     ? Micro::minmax_f32
                        : greatest ? Micro::max_f32
                                   : Micro::min_f32,
                        r, flags);
  }
  const Ternary r = read(x, t, 2);
  if (m.take("relu")) {
    if (!t.is(TypeName::Kind::kSigned, 32)) x.unsupported(".relu is for s32");
    return emit_ternary(x, greatest ? Micro::max_relu_s32 : Micro::min_relu_s32, r);
  }
  if (t.packed) {
    const Micro micro = greatest ? (t.is_signed() ? Micro::max_s16x2 : Micro::max_u16x2)
                                 : (t.is_signed() ? Micro::min_s16x2 : Micro::min_u16x2);
    return emit_ternary(x, micro, r);
  }
  constexpr Micro kMin[6] = {Micro::min_s16, Micro::min_u16, Micro::min_s32,
                             Micro::min_u32, Micro::min_s64, Micro::min_u64};
  constexpr Micro kMax[6] = {Micro::max_s16, Micro::max_u16, Micro::max_s32,
                             Micro::max_u32, Micro::max_s64, Micro::max_u64};
  emit_ternary(x, signed_choice(t, greatest ? kMax : kMin), r);
}

// rcp and sqrt: operation 5 or 6 of arith_f32.
void decode_root(Decoder& x, uint32_t operation) {
  Modifiers& m = x.mods();
  const TypeName t = m.need_type();
  const bool approx = m.take("approx");
  const FloatVariant v = take_variant(m);
  const Ternary r = read(x, t, 1);
  if (t.bits == 64) {
    if (approx) {
      if (operation != 5) x.unsupported();
      return emit_ternary(x, Micro::rcp_ftz_f64, r);
    }
    const Micro fast = operation == 5 ? Micro::rcp_f64 : Micro::sqrt_f64;
    return emit_ternary(x, v.round == 0 ? fast : Micro::arith_f64, r, v.flags(operation));
  }
  const Micro fast = operation == 5 ? Micro::rcp_f32 : Micro::sqrt_f32;
  emit_ternary(x, v.round == 0 ? fast : Micro::arith_f32, r, v.flags(operation));
}

}  // namespace

void decode_add(Decoder& x) { decode_add_sub(x, false); }
void decode_sub(Decoder& x) { decode_add_sub(x, true); }

void decode_mul(Decoder& x) {
  Modifiers& m = x.mods();
  const TypeName t = m.need_type();
  if (t.is_half()) return decode_half_arith(x, t, 2);
  if (t.is_float()) return decode_float(x, t, 2);
  if (m.take("wide")) {
    return decode_wide(x, t, Micro::mul_wide_s16, Micro::mul_wide_u16, Micro::mul_wide_s32,
                       Micro::mul_wide_u32, false);
  }
  const Ternary r = read(x, t, 2);
  if (m.take("hi")) {
    constexpr Micro kHi[6] = {Micro::mul_hi_s16, Micro::mul_hi_u16, Micro::mul_hi_s32,
                              Micro::mul_hi_u32, Micro::mul_hi_s64, Micro::mul_hi_u64};
    return emit_ternary(x, signed_choice(t, kHi), r);
  }
  m.take("lo");
  emit_ternary(x, by_width(t, Micro::mul_lo_16, Micro::mul_lo_32, Micro::mul_lo_64), r);
}

void decode_mad(Decoder& x) {
  Modifiers& m = x.mods();
  if (m.has("cc")) return decode_carry(x);
  const TypeName t = m.need_type();
  if (t.is_float()) return decode_float(x, t, 3);
  if (m.take("wide")) {
    return decode_wide(x, t, Micro::mad_wide_s16, Micro::mad_wide_u16, Micro::mad_wide_s32,
                       Micro::mad_wide_u32, true);
  }
  const Ternary r = read(x, t, 3);
  if (m.take("hi")) {
    if (m.take("sat")) return emit_ternary(x, Micro::mad_hi_sat_s32, r);
    constexpr Micro kHi[6] = {Micro::mad_hi_s16, Micro::mad_hi_u16, Micro::mad_hi_s32,
                              Micro::mad_hi_u32, Micro::mad_hi_s64, Micro::mad_hi_u64};
    return emit_ternary(x, signed_choice(t, kHi), r);
  }
  m.take("lo");
  emit_ternary(x, by_width(t, Micro::mad_lo_16, Micro::mad_lo_32, Micro::mad_lo_64), r);
}

void decode_fma(Decoder& x) {
  const TypeName t = x.mods().need_type();
  if (t.is_half()) return decode_half_fma(x, t);
  decode_float(x, t, 3);
}

void decode_mul24(Decoder& x) {
  const TypeName t = x.mods().need_type();
  const bool high = x.mods().take_one_of({"lo", "hi"}) == 1;
  emit_ternary(x,
               high ? (t.is_signed() ? Micro::mul24_hi_s32 : Micro::mul24_hi_u32)
                    : (t.is_signed() ? Micro::mul24_lo_s32 : Micro::mul24_lo_u32),
               read(x, t, 2));
}

void decode_mad24(Decoder& x) {
  const TypeName t = x.mods().need_type();
  const bool high = x.mods().take_one_of({"lo", "hi"}) == 1;
  emit_ternary(x,
               high ? (t.is_signed() ? Micro::mad24_hi_s32 : Micro::mad24_hi_u32)
                    : (t.is_signed() ? Micro::mad24_lo_s32 : Micro::mad24_lo_u32),
               read(x, t, 3));
}

void decode_sad(Decoder& x) {
  const TypeName t = x.mods().need_type();
  constexpr Micro kSad[6] = {Micro::sad_s16, Micro::sad_u16, Micro::sad_s32,
                             Micro::sad_u32, Micro::sad_s64, Micro::sad_u64};
  emit_ternary(x, signed_choice(t, kSad), read(x, t, 3));
}

void decode_div(Decoder& x) {
  Modifiers& m = x.mods();
  const TypeName t = m.need_type();
  if (t.is_float()) {
    const bool approx = m.take_one_of({"approx", "full"}) == 0;
    const FloatVariant v = take_variant(m);
    const Ternary r = read(x, t, 2);
    if (approx) return emit_ternary(x, Micro::div_approx_f32, r, v.flags(4));
    const Micro fast = t.bits == 64 ? Micro::div_f64 : Micro::div_f32;
    const Micro general = t.bits == 64 ? Micro::arith_f64 : Micro::arith_f32;
    return emit_ternary(x, v.round == 0 ? fast : general, r, v.flags(4));
  }
  constexpr Micro kDiv[6] = {Micro::div_s16, Micro::div_u16, Micro::div_s32,
                             Micro::div_u32, Micro::div_s64, Micro::div_u64};
  emit_ternary(x, signed_choice(t, kDiv), read(x, t, 2));
}

void decode_rem(Decoder& x) {
  const TypeName t = x.mods().need_type();
  constexpr Micro kRem[6] = {Micro::rem_s16, Micro::rem_u16, Micro::rem_s32,
                             Micro::rem_u32, Micro::rem_s64, Micro::rem_u64};
  emit_ternary(x, signed_choice(t, kRem), read(x, t, 2));
}

void decode_abs(Decoder& x) {
  const TypeName t = x.mods().need_type();
  if (t.is_half()) return decode_half_unary(x, t, 1);
  const bool ftz = x.mods().take("ftz");
  const Ternary r = read(x, t, 1);
  if (t.is_float()) {
    emit_ternary(x, t.bits == 64 ? Micro::abs_f64 : ftz ? Micro::abs_ftz_f32 : Micro::abs_f32, r);
    return;
  }
  emit_ternary(x, by_width(t, Micro::abs_s16, Micro::abs_s32, Micro::abs_s64), r);
}

void decode_neg(Decoder& x) {
  const TypeName t = x.mods().need_type();
  if (t.is_half()) return decode_half_unary(x, t, 0);
  const bool ftz = x.mods().take("ftz");
  const Ternary r = read(x, t, 1);
  if (t.is_float()) {
    emit_ternary(x, t.bits == 64 ? Micro::neg_f64 : ftz ? Micro::neg_ftz_f32 : Micro::neg_f32, r);
    return;
  }
  emit_ternary(x, by_width(t, Micro::neg_16, Micro::neg_32, Micro::neg_64), r);
}

void decode_min(Decoder& x) { decode_minmax(x, false); }
void decode_max(Decoder& x) { decode_minmax(x, true); }
void decode_rcp(Decoder& x) { decode_root(x, 5); }
void decode_sqrt(Decoder& x) { decode_root(x, 6); }

void decode_rsqrt(Decoder& x) {
  const TypeName t = x.mods().need_type();
  x.mods().take("approx");
  const FloatVariant v = take_variant(x.mods());
  emit_ternary(x,
               t.bits != 64 ? Micro::rsqrt_f32
               : v.ftz      ? Micro::rsqrt_ftz_f64
                            : Micro::rsqrt_f64,
               read(x, t, 1), v.flags(0));
}

void decode_function_f32(Decoder& x) {
  x.mods().take("approx");
  const TypeName t = x.mods().need_type();
  const std::string& name = x.in().opcode;
  if (t.is_half()) return decode_half_unary(x, t, name == "ex2" ? 2 : 3);
  const FloatVariant v = take_variant(x.mods());
  const Micro micro = name == "sin"   ? Micro::sin_f32
                      : name == "cos" ? Micro::cos_f32
                      : name == "lg2" ? Micro::lg2_f32
                      : name == "ex2" ? Micro::ex2_f32
                                      : Micro::tanh_f32;
  emit_ternary(x, micro, read(x, t, 1), v.flags(0));
}

void decode_copysign(Decoder& x) {
  const TypeName t = x.mods().need_type();
  emit_ternary(x, t.bits == 64 ? Micro::copysign_f64 : Micro::copysign_f32, read(x, t, 2));
}

void decode_testp(Decoder& x) {
  const int kind =
      x.mods().take_one_of({"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  const TypeName t = x.mods().need_type();
  const uint32_t d = x.predicate_destination(x.operand(0));
  const uint32_t a = x.source(x.operand(1), t);
  x.emit(t.bits == 64 ? Micro::testp_f64 : Micro::testp_f32, d, a).imm = kind;
}

void decode_dp(Decoder& x) {
  Modifiers& m = x.mods();
  uint32_t flags = m.take_one_of({"lo", "hi"}) == 1 ? 4 : 0;
  const TypeName ta = m.need_type(), tb = m.need_type();
  flags |= (ta.is_signed() ? 1u : 0u) | (tb.is_signed() ? 2u : 0u);
  emit_ternary(x, x.in().opcode == "dp4a" ? Micro::dp4a : Micro::dp2a, read(x, {}, 3), flags);
}

// addc, subc, madc, mad.cc. (add.cc and sub.cc come from decode_add_sub.)
void decode_carry(Decoder& x) {
  Modifiers& m = x.mods();
  const std::string& name = x.in().opcode;
  uint32_t flags = m.take("cc") ? 2 : 0;
  if (name != "mad") flags |= 1;
  if (name == "subc") flags |= 4;
  const bool mad = name[0] == 'm';
  if (mad && m.take_one_of({"lo", "hi"}) == 1) flags |= 8;
  const TypeName t = m.need_type();
  if (t.is_signed()) flags |= 16;
  const bool wide = t.bits == 64;
  const Ternary r = read(x, t, mad ? 3 : 2);
  emit_ternary(x,
               mad ? (wide ? Micro::carry_mad_64 : Micro::carry_mad_32)
                   : (wide ? Micro::carry_add_64 : Micro::carry_add_32),
               r, flags);
}

}  // namespace tcd::emu
