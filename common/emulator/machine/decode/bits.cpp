// Logic, shifts and bit fields → micro-operations (PTX ISA 9.7.1, 9.7.8).
#include "machine/decode/decoder.h"

namespace tcd::emu {
namespace {

void decode_logic(Decoder& x, Micro pred, Micro m32, Micro m64) {
  const TypeName t = x.mods().need_type();
  if (t.kind == TypeName::Kind::kPred) {
    bool not_a = false, not_b = false;
    const uint32_t d = x.predicate_destination(x.operand(0));
    const uint32_t a = x.predicate_source(x.operand(1), &not_a);
    const uint32_t b = x.predicate_source(x.operand(2), &not_b);
    x.emit(pred, d, a, b).flags = (not_a ? 1u : 0u) | (not_b ? 2u : 0u);
    return;
  }
  const uint32_t d = x.destination(x.operand(0), t.row_bytes());
  const uint32_t a = x.source(x.operand(1), t), b = x.source(x.operand(2), t);
  x.emit(t.bits == 64 ? m64 : m32, d, a, b);
}

void decode_unary(Decoder& x, const TypeName& t, Micro micro, unsigned result_bytes) {
  const uint32_t d = x.destination(x.operand(0), result_bytes);
  x.emit(micro, d, x.source(x.operand(1), t));
}

}  // namespace

void decode_and(Decoder& x) { decode_logic(x, Micro::and_pred, Micro::and_32, Micro::and_64); }
void decode_or(Decoder& x) { decode_logic(x, Micro::or_pred, Micro::or_32, Micro::or_64); }
void decode_xor(Decoder& x) { decode_logic(x, Micro::xor_pred, Micro::xor_32, Micro::xor_64); }

void decode_not(Decoder& x) {
  const TypeName t = x.mods().need_type();
  if (t.kind == TypeName::Kind::kPred) {
    bool negated = false;
    const uint32_t d = x.predicate_destination(x.operand(0));
    const uint32_t a = x.predicate_source(x.operand(1), &negated);
    x.emit(negated ? Micro::mov_pred : Micro::not_pred, d, a, a);
    return;
  }
  decode_unary(x, t,
               t.bits == 16   ? Micro::not_16
               : t.bits == 64 ? Micro::not_64
                              : Micro::not_32,
               t.row_bytes());
}

void decode_cnot(Decoder& x) {
  const TypeName t = x.mods().need_type();
  decode_unary(x, t,
               t.bits == 16   ? Micro::cnot_16
               : t.bits == 64 ? Micro::cnot_64
                              : Micro::cnot_32,
               t.row_bytes());
}

void decode_lop3(Decoder& x) {
  x.mods().need_type();
  if (x.operands() != 5 || x.operand(4).kind != ptx::Operand::Kind::kImmediate) x.unsupported();
  const uint32_t d = x.destination(x.operand(0), 4);
  const uint32_t a = x.source_b32(x.operand(1)), b = x.source_b32(x.operand(2));
  const uint32_t c = x.source_b32(x.operand(3));
  x.emit(Micro::lop3, d, a, b, c).flags = static_cast<uint32_t>(x.operand(4).imm & 0xff);
}

void decode_shl(Decoder& x) {
  const TypeName t = x.mods().need_type();
  const uint32_t d = x.destination(x.operand(0), t.row_bytes());
  const uint32_t a = x.source(x.operand(1), t), b = x.source_b32(x.operand(2));
  x.emit(t.bits == 16 ? Micro::shl_16 : t.bits == 64 ? Micro::shl_64 : Micro::shl_32, d, a, b);
}

void decode_shr(Decoder& x) {
  const TypeName t = x.mods().need_type();
  const uint32_t d = x.destination(x.operand(0), t.row_bytes());
  const uint32_t a = x.source(x.operand(1), t), b = x.source_b32(x.operand(2));
  const bool s = t.is_signed();
  const Micro micro = t.bits == 16   ? (s ? Micro::shr_s16 : Micro::shr_u16)
                      : t.bits == 64 ? (s ? Micro::shr_s64 : Micro::shr_u64)
                                     : (s ? Micro::shr_s32 : Micro::shr_u32);
  x.emit(micro, d, a, b);
}

void decode_shf(Decoder& x) {
  const bool left = x.mods().take_one_of({"l", "r"}) == 0;
  const bool wrap = x.mods().take_one_of({"clamp", "wrap"}) == 1;
  x.mods().need_type();
  const uint32_t d = x.destination(x.operand(0), 4);
  const uint32_t a = x.source_b32(x.operand(1)), b = x.source_b32(x.operand(2));
  const uint32_t c = x.source_b32(x.operand(3));
  x.emit(left ? (wrap ? Micro::shf_l_wrap : Micro::shf_l_clamp)
              : (wrap ? Micro::shf_r_wrap : Micro::shf_r_clamp),
         d, a, b, c);
}

void decode_prmt(Decoder& x) {
  x.mods().need_type();
  const int mode = x.mods().take_one_of({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
  const uint32_t d = x.destination(x.operand(0), 4);
  const uint32_t a = x.source_b32(x.operand(1)), b = x.source_b32(x.operand(2));
  const uint32_t c = x.source_b32(x.operand(3));
  x.emit(Micro::prmt, d, a, b, c).flags = static_cast<uint32_t>(mode + 1);
}

void decode_popc(Decoder& x) {
  const TypeName t = x.mods().need_type();
  decode_unary(x, t, t.bits == 64 ? Micro::popc_64 : Micro::popc_32, 4);
}

void decode_clz(Decoder& x) {
  const TypeName t = x.mods().need_type();
  decode_unary(x, t, t.bits == 64 ? Micro::clz_64 : Micro::clz_32, 4);
}

void decode_bfind(Decoder& x) {
  const uint32_t shift = x.mods().take("shiftamt") ? 1 : 0;
  const TypeName t = x.mods().need_type();
  const uint32_t d = x.destination(x.operand(0), 4), a = x.source(x.operand(1), t);
  const bool s = t.is_signed();
  x.emit(t.bits == 64 ? (s ? Micro::bfind_s64 : Micro::bfind_u64)
                      : (s ? Micro::bfind_s32 : Micro::bfind_u32),
         d, a)
      .flags = shift;
}

void decode_brev(Decoder& x) {
  const TypeName t = x.mods().need_type();
  decode_unary(x, t, t.bits == 64 ? Micro::brev_64 : Micro::brev_32, t.row_bytes());
}

void decode_bfe(Decoder& x) {
  const TypeName t = x.mods().need_type();
  const uint32_t d = x.destination(x.operand(0), t.row_bytes()), a = x.source(x.operand(1), t);
  const uint32_t b = x.source_b32(x.operand(2)), c = x.source_b32(x.operand(3));
  const bool s = t.is_signed();
  x.emit(
      t.bits == 64 ? (s ? Micro::bfe_s64 : Micro::bfe_u64) : (s ? Micro::bfe_s32 : Micro::bfe_u32),
      d, a, b, c);
}

void decode_bfi(Decoder& x) {
  const TypeName t = x.mods().need_type();
  const uint32_t d = x.destination(x.operand(0), t.row_bytes());
  const uint32_t a = x.source(x.operand(1), t), b = x.source(x.operand(2), t);
  const uint32_t c = x.source_b32(x.operand(3)), length = x.source_b32(x.operand(4));
  x.emit(t.bits == 64 ? Micro::bfi_64 : Micro::bfi_32, d, a, b, c).extra = length;
}

void decode_fns(Decoder& x) {
  x.mods().need_type();
  const uint32_t d = x.destination(x.operand(0), 4);
  const uint32_t a = x.source_b32(x.operand(1)), b = x.source_b32(x.operand(2));
  x.emit(Micro::fns, d, a, b, x.source_b32(x.operand(3)));
}

void decode_bmsk(Decoder& x) {
  const uint32_t wrap = x.mods().take_one_of({"clamp", "wrap"}) == 1 ? 1 : 0;
  x.mods().need_type();
  const uint32_t d = x.destination(x.operand(0), 4);
  const uint32_t a = x.source_b32(x.operand(1)), b = x.source_b32(x.operand(2));
  x.emit(Micro::bmsk, d, a, b).flags = wrap;
}

void decode_szext(Decoder& x) {
  const uint32_t wrap = x.mods().take_one_of({"clamp", "wrap"}) == 1 ? 1 : 0;
  const TypeName t = x.mods().need_type();
  const uint32_t d = x.destination(x.operand(0), 4);
  const uint32_t a = x.source_b32(x.operand(1)), b = x.source_b32(x.operand(2));
  x.emit(t.is_signed() ? Micro::szext_s32 : Micro::szext_u32, d, a, b).flags = wrap;
}

}  // namespace tcd::emu
