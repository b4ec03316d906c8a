// setp, set, testp (PTX ISA 9.7.5). Integers have a handler per relation; floating point switches
// once per warp on the relation, which costs less than a second copy of every loop.
#include "machine/compare.h"

#include "machine/exec/float_rules.h"

namespace tcd::emu::TCD_ISA_NAMESPACE {
namespace {

inline s32 sext16(u32 v) { return static_cast<s16>(v); }

void fill_integers(Table& t) {
  bind(t, Micro::setp_eq_32, [](u32 a, u32 b) { return a == b; });
  bind(t, Micro::setp_ne_32, [](u32 a, u32 b) { return a != b; });
  bind(t, Micro::setp_lt_s32, [](s32 a, s32 b) { return a < b; });
  bind(t, Micro::setp_le_s32, [](s32 a, s32 b) { return a <= b; });
  bind(t, Micro::setp_gt_s32, [](s32 a, s32 b) { return a > b; });
  bind(t, Micro::setp_ge_s32, [](s32 a, s32 b) { return a >= b; });
  bind(t, Micro::setp_lt_u32, [](u32 a, u32 b) { return a < b; });
  bind(t, Micro::setp_le_u32, [](u32 a, u32 b) { return a <= b; });
  bind(t, Micro::setp_gt_u32, [](u32 a, u32 b) { return a > b; });
  bind(t, Micro::setp_ge_u32, [](u32 a, u32 b) { return a >= b; });
  bind(t, Micro::setp_lt_s16, [](u32 a, u32 b) { return sext16(a) < sext16(b); });
  bind(t, Micro::setp_le_s16, [](u32 a, u32 b) { return sext16(a) <= sext16(b); });
  bind(t, Micro::setp_gt_s16, [](u32 a, u32 b) { return sext16(a) > sext16(b); });
  bind(t, Micro::setp_ge_s16, [](u32 a, u32 b) { return sext16(a) >= sext16(b); });
  bind(t, Micro::setp_eq_64, [](u64 a, u64 b) { return a == b; });
  bind(t, Micro::setp_ne_64, [](u64 a, u64 b) { return a != b; });
  bind(t, Micro::setp_lt_s64, [](s64 a, s64 b) { return a < b; });
  bind(t, Micro::setp_le_s64, [](s64 a, s64 b) { return a <= b; });
  bind(t, Micro::setp_gt_s64, [](s64 a, s64 b) { return a > b; });
  bind(t, Micro::setp_ge_s64, [](s64 a, s64 b) { return a >= b; });
  bind(t, Micro::setp_lt_u64, [](u64 a, u64 b) { return a < b; });
  bind(t, Micro::setp_le_u64, [](u64 a, u64 b) { return a <= b; });
  bind(t, Micro::setp_gt_u64, [](u64 a, u64 b) { return a > b; });
  bind(t, Micro::setp_ge_u64, [](u64 a, u64 b) { return a >= b; });
}

template <class T, class F>
inline u32 compare_lanes(const T* a, const T* b, F relation) {
  Row out;
#pragma GCC ivdep
  for (int i = 0; i < kLanes; ++i) out.lane[i] = relation(a[i], b[i]) ? kAllLanes : 0;
  return pack_bits(out);
}

// Every relation is one of eight ordered ones, or its complement: a ltu b == !(a >= b).
template <class T>
u32 compare_float(FloatRelation relation, const T* a, const T* b) {
  const auto base = static_cast<FloatRelation>(static_cast<int>(relation) & 7);
  const u32 flip = static_cast<int>(relation) >= 8 ? kAllLanes : 0;
  u32 result = 0;
  switch (base) {
    case FloatRelation::kEq:
      result = compare_lanes(a, b, [](T x, T y) { return x == y; });
      break;
    case FloatRelation::kLt:
      result = compare_lanes(a, b, [](T x, T y) { return x < y; });
      break;
    case FloatRelation::kLe:
      result = compare_lanes(a, b, [](T x, T y) { return x <= y; });
      break;
    case FloatRelation::kGt:
      result = compare_lanes(a, b, [](T x, T y) { return x > y; });
      break;
    case FloatRelation::kGe:
      result = compare_lanes(a, b, [](T x, T y) { return x >= y; });
      break;
    case FloatRelation::kNe:
      result = compare_lanes(a, b, [](T x, T y) { return x < y || x > y; });
      break;
    default:  // kNum: neither is NaN
      result = compare_lanes(a, b, [](T x, T y) { return x == x && y == y; });
      break;
  }
  return result ^ flip;
}

FloatRelation relation_of(const MicroOp* op) { return static_cast<FloatRelation>(op->imm & 15); }

const MicroOp* setp_f32(Warp& w, const MicroOp* op, u32 mask) {
  const f32* a = row<f32>(w, op->a);
  const f32* b = row<f32>(w, op->b);
  if ((op->imm & kCompareFtz) == 0) {
    write_set(w, op, compare_float(relation_of(op), a, b), mask);
    return op + 1;
  }
  alignas(64) f32 x[kLanes], y[kLanes];
  for (int i = 0; i < kLanes; ++i) x[i] = flush(a[i]), y[i] = flush(b[i]);
  write_set(w, op, compare_float(relation_of(op), x, y), mask);
  return op + 1;
}

const MicroOp* setp_f64(Warp& w, const MicroOp* op, u32 mask) {
  const u32 result = compare_float(relation_of(op), row<f64>(w, op->a), row<f64>(w, op->b));
  write_set(w, op, result, mask);
  return op + 1;
}

template <bool kBfloat>
u32 compare_halves(Warp& w, const MicroOp* op, int shift) {
  const u32* a = row<u32>(w, op->a);
  const u32* b = row<u32>(w, op->b);
  const bool ftz = (op->imm & kCompareFtz) != 0;
  const auto widen = [&](u32 packed) {
    u32 h = packed >> shift & 0xffff;
    if (ftz && (h & (kBfloat ? 0x7f80u : 0x7c00u)) == 0) h &= 0x8000;
    return kBfloat ? bfloat_to_float(h) : half_to_float(h);
  };
  alignas(64) f32 x[kLanes], y[kLanes];
  for (int i = 0; i < kLanes; ++i) x[i] = widen(a[i]), y[i] = widen(b[i]);
  return compare_float(relation_of(op), x, y);
}

template <bool kBfloat>
const MicroOp* setp_half(Warp& w, const MicroOp* op, u32 mask) {
  write_set(w, op, compare_halves<kBfloat>(w, op, 0), mask);
  return op + 1;
}

// p|q hold the low and the high half's result (PTX ISA 9.7.6, setp for f16x2).
template <bool kBfloat>
const MicroOp* setp_half2(Warp& w, const MicroOp* op, u32 mask) {
  const u32 low = compare_halves<kBfloat>(w, op, 0), high = compare_halves<kBfloat>(w, op, 16);
  const u32 c = predicate(w, op->c) ^ ((op->flags & 4) != 0 ? kAllLanes : 0);
  const auto combine = [&](u32 r) {
    switch (op->flags & 3) {
      case 1:
        return r & c;
      case 2:
        return r | c;
      case 3:
        return r ^ c;
      default:
        return r;
    }
  };
  write_predicate(w, op->d, combine(low), mask);
  if (op->extra != 0) write_predicate(w, op->extra, combine(high), mask);
  return op + 1;
}

// `set`: a predicate (a) becomes the value imm in 32 bits. flags 0: the low half is replaced with
// imm or 0, and with a second predicate (b) also the high half (f16x2).
const MicroOp* set_mask_32(Warp& w, const MicroOp* op, u32 mask) {
  u32* d = row<u32>(w, op->d);
  const u32 p = predicate(w, op->a), value = static_cast<u32>(op->imm);
  each_lane(mask, [&](int i) { d[i] = in_mask(p, i) ? value : 0; });
  return op + 1;
}

const MicroOp* set_mask_16(Warp& w, const MicroOp* op, u32 mask) {
  u32* d = row<u32>(w, op->d);
  const u32 p = predicate(w, op->a), q = predicate(w, op->b);
  const u32 value = static_cast<u32>(op->imm) & 0xffff;
  each_lane(mask,
            [&](int i) { d[i] = (in_mask(p, i) ? value : 0) | (in_mask(q, i) ? value : 0) << 16; });
  return op + 1;
}

// imm: 0 finite, 1 infinite, 2 number, 3 notanumber, 4 normal, 5 subnormal.
template <class T>
bool test_class(s64 kind, T v) {
  const T size = std::fabs(v);
  const bool number = v == v, infinite = size == std::numeric_limits<T>::infinity();
  const bool small = size < std::numeric_limits<T>::min() && size > 0;  // zero counts as normal
  switch (kind) {
    case 0:
      return number && !infinite;
    case 1:
      return infinite;
    case 2:
      return number;
    case 3:
      return !number;
    case 4:
      return number && !infinite && !small;
    default:
      return small && size > 0;
  }
}

}  // namespace

void fill_compare(Table& t) {
  fill_integers(t);
  bind_handler(t, Micro::setp_f32, &setp_f32);
  bind_handler(t, Micro::setp_f64, &setp_f64);
  bind_handler(t, Micro::setp_f16, &setp_half<false>);
  bind_handler(t, Micro::setp_bf16, &setp_half<true>);
  bind_handler(t, Micro::setp_f16x2, &setp_half2<false>);
  bind_handler(t, Micro::setp_bf16x2, &setp_half2<true>);
  bind_handler(t, Micro::set_mask_32, &set_mask_32);
  bind_handler(t, Micro::set_mask_16, &set_mask_16);
  bind(t, Micro::testp_f32, [](Imm imm, f32 a) { return test_class(imm.imm, a); });
  bind(t, Micro::testp_f64, [](Imm imm, f64 a) { return test_class(imm.imm, a); });
}

}  // namespace tcd::emu::TCD_ISA_NAMESPACE
