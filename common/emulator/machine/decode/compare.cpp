// Comparisons and choices → micro-operations (PTX ISA 9.7.5, 9.7.6).
#include "machine/compare.h"

#include "machine/decode/decoder.h"

namespace tcd::emu {
namespace {

struct Relation {
  std::string_view name;
  FloatRelation value;
};
constexpr Relation kRelations[] = {
    {"eq", FloatRelation::kEq},   {"ne", FloatRelation::kNe},   {"lt", FloatRelation::kLt},
    {"le", FloatRelation::kLe},   {"gt", FloatRelation::kGt},   {"ge", FloatRelation::kGe},
    {"lo", FloatRelation::kLt},   {"ls", FloatRelation::kLe},   {"hi", FloatRelation::kGt},
    {"hs", FloatRelation::kGe},   {"equ", FloatRelation::kEqu}, {"neu", FloatRelation::kNeu},
    {"ltu", FloatRelation::kLtu}, {"leu", FloatRelation::kLeu}, {"gtu", FloatRelation::kGtu},
    {"geu", FloatRelation::kGeu}, {"num", FloatRelation::kNum}, {"nan", FloatRelation::kNan},
};

FloatRelation take_relation(Decoder& x) {
  for (const Relation& r : kRelations) {
    if (x.mods().take(r.name)) return r.value;
  }
  x.unsupported("it names no comparison");
}

// The integer handlers in the order eq ne lt le gt ge.
Micro integer_micro(const TypeName& t, FloatRelation r) {
  const int i = static_cast<int>(r);
  constexpr Micro kS32[] = {Micro::setp_eq_32,  Micro::setp_ne_32,  Micro::setp_lt_s32,
                            Micro::setp_le_s32, Micro::setp_gt_s32, Micro::setp_ge_s32};
  constexpr Micro kU32[] = {Micro::setp_eq_32,  Micro::setp_ne_32,  Micro::setp_lt_u32,
                            Micro::setp_le_u32, Micro::setp_gt_u32, Micro::setp_ge_u32};
  constexpr Micro kS16[] = {Micro::setp_eq_32,  Micro::setp_ne_32,  Micro::setp_lt_s16,
                            Micro::setp_le_s16, Micro::setp_gt_s16, Micro::setp_ge_s16};
  constexpr Micro kS64[] = {Micro::setp_eq_64,  Micro::setp_ne_64,  Micro::setp_lt_s64,
                            Micro::setp_le_s64, Micro::setp_gt_s64, Micro::setp_ge_s64};
  constexpr Micro kU64[] = {Micro::setp_eq_64,  Micro::setp_ne_64,  Micro::setp_lt_u64,
                            Micro::setp_le_u64, Micro::setp_gt_u64, Micro::setp_ge_u64};
  if (t.bits == 64) return t.is_signed() ? kS64[i] : kU64[i];
  if (t.bits == 16) return t.is_signed() ? kS16[i] : kU32[i];
  return t.is_signed() ? kS32[i] : kU32[i];
}

Micro float_micro(const TypeName& t) {
  if (t.kind == TypeName::Kind::kBfloat) return t.packed ? Micro::setp_bf16x2 : Micro::setp_bf16;
  if (t.bits == 16) return t.packed ? Micro::setp_f16x2 : Micro::setp_f16;
  return t.bits == 64 ? Micro::setp_f64 : Micro::setp_f32;
}

struct Comparison {
  FloatRelation relation;
  int combine;  // 0 none, 1 and, 2 or, 3 xor
  bool ftz;
};

Comparison take_comparison(Decoder& x) {
  Comparison c{};
  c.relation = take_relation(x);
  c.combine = x.mods().take_one_of({"and", "or", "xor"}) + 1;
  c.ftz = x.mods().take("ftz");
  return c;
}

void emit_setp(Decoder& x, const Comparison& how, const TypeName& t, uint32_t p, uint32_t q,
               const ptx::Operand& a, const ptx::Operand& b, const ptx::Operand* c) {
  const uint32_t ra = x.source(a, t), rb = x.source(b, t);
  bool negated = false;
  const uint32_t rc = c != nullptr ? x.predicate_source(*c, &negated) : 0;
  if (!t.is_float() && static_cast<int>(how.relation) > static_cast<int>(FloatRelation::kGe)) {
    x.unsupported("an unordered relation of integers");
  }
  MicroOp& op =
      x.emit(t.is_float() ? float_micro(t) : integer_micro(t, how.relation), p, ra, rb, rc);
  op.flags = static_cast<uint32_t>(how.combine) | (negated ? 4u : 0u);
  op.extra = q;
  op.imm = static_cast<int64_t>(how.relation) | (how.ftz ? kCompareFtz : 0);
}

}  // namespace

void decode_setp(Decoder& x) {
  const Comparison how = take_comparison(x);
  const TypeName t = x.mods().need_type();
  uint32_t p = 0, q = 0;
  const ptx::Operand& d = x.operand(0);
  if (d.kind == ptx::Operand::Kind::kVector && d.elements.size() == 2) {
    p = x.predicate_destination(d.elements[0]);
    q = x.predicate_destination(d.elements[1]);
  } else {
    p = x.predicate_destination(d);
  }
  if (p == 0) p = x.temporary_predicate();  // setp _|q
  emit_setp(x, how, t, p, q, x.operand(1), x.operand(2),
            how.combine != 0 ? &x.operand(3) : nullptr);
}

// set d = (a cmp b) ? -1 or 1.0 : 0, in two steps: a predicate, then its value.
void decode_set(Decoder& x) {
  const Comparison how = take_comparison(x);
  const TypeName to = x.mods().need_type(), from = x.mods().need_type();
  const uint32_t p = x.temporary_predicate();
  const uint32_t high = from.packed ? x.second_temporary_predicate() : kFalseOffset;
  emit_setp(x, how, from, p, from.packed ? high : 0, x.operand(1), x.operand(2),
            how.combine != 0 ? &x.operand(3) : nullptr);
  const uint32_t d = x.destination(x.operand(0), 4);
  int64_t value = -1;
  if (to.is_float()) {
    value = to.bits == 32 ? 0x3f800000 : to.kind == TypeName::Kind::kBfloat ? 0x3f80 : 0x3c00;
  }
  if (to.bits == 16 || from.packed) {
    x.emit(Micro::set_mask_16, d, p, high).imm = value;
  } else {
    x.emit(Micro::set_mask_32, d, p).imm = value;
  }
}

void decode_selp(Decoder& x) {
  const TypeName t = x.mods().need_type();
  const uint32_t d = x.destination(x.operand(0), t.row_bytes());
  const uint32_t a = x.source(x.operand(1), t), b = x.source(x.operand(2), t);
  bool negated = false;
  const uint32_t p = x.predicate_source(x.operand(3), &negated);
  x.emit(t.bits == 64 ? Micro::selp_64 : Micro::selp_32, d, a, b, p).flags =
      negated ? kAllLanes : 0;
}

void decode_slct(Decoder& x) {
  x.mods().take("ftz");
  const TypeName t = x.mods().need_type(), choice = x.mods().need_type();
  const uint32_t d = x.destination(x.operand(0), t.row_bytes());
  const uint32_t a = x.source(x.operand(1), t), b = x.source(x.operand(2), t);
  const uint32_t c = x.source(x.operand(3), choice);
  const bool f = choice.is_float();
  x.emit(t.bits == 64 ? (f ? Micro::slct_f32_64 : Micro::slct_s32_64)
                      : (f ? Micro::slct_f32_32 : Micro::slct_s32_32),
         d, a, b, c);
}

}  // namespace tcd::emu
