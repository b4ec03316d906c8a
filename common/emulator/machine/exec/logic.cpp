// Bits: logic, shifts, bit fields, moves between register widths (PTX ISA 9.7.1, 9.7.8, 9.7.9).
#include "machine/exec/lanes.h"

namespace tcd::emu::TCD_ISA_NAMESPACE {
namespace {

inline u32 reverse_bits(u32 v) {
  v = (v >> 1 & 0x55555555u) | (v & 0x55555555u) << 1;
  v = (v >> 2 & 0x33333333u) | (v & 0x33333333u) << 2;
  v = (v >> 4 & 0x0f0f0f0fu) | (v & 0x0f0f0f0fu) << 4;
  return v >> 24 | (v >> 8 & 0xff00u) | (v & 0xff00u) << 8 | v << 24;
}

// flags: the look-up table. A row of eight minterms; only those in the table are kept.
inline u32 lop3(Imm imm, u32 a, u32 b, u32 c) {
  const auto keep = [&](int bit) { return 0u - (imm.flags >> bit & 1); };
  return (keep(0) & ~a & ~b & ~c) | (keep(1) & ~a & ~b & c) | (keep(2) & ~a & b & ~c) |
         (keep(3) & ~a & b & c) | (keep(4) & a & ~b & ~c) | (keep(5) & a & ~b & c) |
         (keep(6) & a & b & ~c) | (keep(7) & a & b & c);
}

// flags: mode (PTX ISA 9.7.9.7): 0 default, 1 f4e, 2 b4e, 3 rc8, 4 ecl, 5 ecr, 6 rc16.
inline u32 prmt(Imm imm, u32 a, u32 b, u32 c) {
  const u64 bytes = u64{b} << 32 | a;
  u32 result = 0;
  for (u32 i = 0; i < 4; ++i) {
    u32 selector = c >> (4 * i) & 0xf;
    const u32 n = c & 3;
    switch (imm.flags) {
      case 0:
        break;
      case 1:
        selector = n + i;
        break;
      case 2:
        selector = (n - i) & 7;
        break;
      case 3:
        selector = n;
        break;
      case 4:
        selector = i > n ? i : n;
        break;
      case 5:
        selector = i < n ? i : n;
        break;
      default:
        selector = (n & 1) * 2 + (i & 1);
        break;
    }
    u32 byte = static_cast<u32>(bytes >> (8 * (selector & 7))) & 0xff;
    if (imm.flags == 0 && (selector & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
    result |= byte << (8 * i);
  }
  return result;
}

// flags bit 0: shift amount instead of bit position (.shiftamt).
template <class T>
inline u32 bfind(Imm imm, T v) {
  using U = std::make_unsigned_t<T>;
  U bits = static_cast<U>(v);
  if (v < 0) bits = static_cast<U>(~bits);
  constexpr u32 kTop = sizeof(T) * 8 - 1;
  if (bits == 0) return ~0u;
  const u32 position = kTop - static_cast<u32>(std::countl_zero(bits));
  return (imm.flags & 1) != 0 ? kTop - position : position;
}

// 32-bit fields take 8 bits of a position or length, 64-bit ones all of them (as an H200 does; the
// PTX ISA says 8 for both). 255 is past every end.
template <class T>
inline u32 field_number(u32 v) {
  return sizeof(T) == 4 ? v & 0xff : v < 255 ? v : 255;
}

template <class T, bool kSigned>
inline T bfe(T a, u32 b, u32 c) {
  constexpr u32 kBits = sizeof(T) * 8;
  const u32 position = field_number<T>(b), length = field_number<T>(c);
  if (length == 0) return 0;
  const u32 last = position + length - 1 < kBits - 1 ? position + length - 1 : kBits - 1;
  const T sign = kSigned ? a >> last & 1 : T{0};
  const T fill = sign != 0 ? static_cast<T>(~T{0}) : T{0};
  if (position >= kBits) return fill;
  const T field = static_cast<T>(a >> position);
  if (length >= kBits) return kSigned && sign && position ? field | ~(~T{0} >> position) : field;
  const T keep = static_cast<T>((T{1} << length) - 1);
  const u32 have = kBits - position;  // bits that exist above position
  if (have < length) {
    const T existing = static_cast<T>((T{1} << have) - 1);
    return (field & existing) | (fill & ~existing);
  }
  return (field & keep) | (fill & ~keep);
}

template <class T>
inline T bfi(T a, T b, u32 c, u32 d) {
  constexpr u32 kBits = sizeof(T) * 8;
  const u32 position = field_number<T>(c), length = field_number<T>(d);
  if (length == 0 || position >= kBits) return b;
  const T ones = length >= kBits ? static_cast<T>(~T{0}) : static_cast<T>((T{1} << length) - 1);
  const T keep = static_cast<T>(ones << position);
  return (b & ~keep) | (static_cast<T>(a << position) & keep);
}

// Position of the n-th set bit counted from `base` (PTX ISA 9.7.1, fns).
inline u32 fns(u32 mask, u32 base, s32 offset) {
  if (base > 31) return ~0u;
  if (offset == 0) return (mask >> base & 1) != 0 ? base : ~0u;
  s32 position = static_cast<s32>(base), count = offset > 0 ? offset - 1 : offset + 1;
  const s32 step = offset > 0 ? 1 : -1;
  for (; position >= 0 && position < 32; position += step) {
    if ((mask >> position & 1) == 0) continue;
    if (count == 0) return static_cast<u32>(position);
    count -= step;
  }
  return ~0u;
}

void fill_plain(Table& t) {
  bind(t, Micro::mov_32, [](u32 a) { return a; });
  bind(t, Micro::mov_64, [](u64 a) { return a; });
  bind(t, Micro::and_32, [](u32 a, u32 b) { return a & b; });
  bind(t, Micro::or_32, [](u32 a, u32 b) { return a | b; });
  bind(t, Micro::xor_32, [](u32 a, u32 b) { return a ^ b; });
  bind(t, Micro::not_16, [](u32 a) { return low16(~a); });
  bind(t, Micro::not_32, [](u32 a) { return ~a; });
  bind(t, Micro::cnot_16, [](u32 a) { return a == 0 ? 1u : 0u; });
  bind(t, Micro::cnot_32, [](u32 a) { return a == 0 ? 1u : 0u; });
  bind(t, Micro::and_64, [](u64 a, u64 b) { return a & b; });
  bind(t, Micro::or_64, [](u64 a, u64 b) { return a | b; });
  bind(t, Micro::xor_64, [](u64 a, u64 b) { return a ^ b; });
  bind(t, Micro::not_64, [](u64 a) { return ~a; });
  bind(t, Micro::cnot_64, [](u64 a) { return u64{a == 0}; });
  bind(t, Micro::lop3, [](Imm imm, u32 a, u32 b, u32 c) { return lop3(imm, a, b, c); });
  bind(t, Micro::prmt, [](Imm imm, u32 a, u32 b, u32 c) { return prmt(imm, a, b, c); });
}

// Shift amounts are unsigned and clamp at the register width.
void fill_shift(Table& t) {
  bind(t, Micro::shl_16, [](u32 a, u32 b) { return b > 15 ? 0 : low16(a << (b & 31)); });
  bind(t, Micro::shl_32, [](u32 a, u32 b) { return b > 31 ? 0 : a << (b & 31); });
  bind(t, Micro::shl_64, [](u64 a, u32 b) { return b > 63 ? 0 : a << (b & 63); });
  bind(t, Micro::shr_u16, [](u32 a, u32 b) { return b > 15 ? 0 : a >> (b & 31); });
  bind(t, Micro::shr_u32, [](u32 a, u32 b) { return b > 31 ? 0 : a >> (b & 31); });
  bind(t, Micro::shr_u64, [](u64 a, u32 b) { return b > 63 ? 0 : a >> (b & 63); });
  bind(t, Micro::shr_s16, [](u32 a, u32 b) {
    return low16(static_cast<u32>(s32{static_cast<s16>(a)} >> (b > 15 ? 15 : b)));
  });
  bind(t, Micro::shr_s32, [](s32 a, u32 b) { return a >> (b > 31 ? 31 : b); });
  bind(t, Micro::shr_s64, [](s64 a, u32 b) { return a >> (b > 63 ? 63 : b); });
  // Funnel: {b,a} is the 64-bit value; l keeps the high word, r the low one.
  bind(t, Micro::shf_l_clamp, [](u32 a, u32 b, u32 c) {
    const u32 n = c > 32 ? 32 : c;
    return static_cast<u32>((u64{b} << 32 | a) << n >> 32);
  });
  bind(t, Micro::shf_l_wrap,
       [](u32 a, u32 b, u32 c) { return static_cast<u32>((u64{b} << 32 | a) << (c & 31) >> 32); });
  bind(t, Micro::shf_r_clamp, [](u32 a, u32 b, u32 c) {
    const u32 n = c > 32 ? 32 : c;
    return static_cast<u32>((u64{b} << 32 | a) >> n);
  });
  bind(t, Micro::shf_r_wrap,
       [](u32 a, u32 b, u32 c) { return static_cast<u32>((u64{b} << 32 | a) >> (c & 31)); });
}

void fill_fields(Table& t) {
  bind(t, Micro::popc_32, [](u32 a) { return static_cast<u32>(std::popcount(a)); });
  bind(t, Micro::popc_64, [](u64 a) { return static_cast<u32>(std::popcount(a)); });
  bind(t, Micro::clz_32, [](u32 a) { return static_cast<u32>(std::countl_zero(a)); });
  bind(t, Micro::clz_64, [](u64 a) { return static_cast<u32>(std::countl_zero(a)); });
  bind(t, Micro::bfind_s32, [](Imm imm, s32 a) { return bfind(imm, a); });
  bind(t, Micro::bfind_u32, [](Imm imm, u32 a) { return bfind(imm, a); });
  bind(t, Micro::bfind_s64, [](Imm imm, s64 a) { return bfind(imm, a); });
  bind(t, Micro::bfind_u64, [](Imm imm, u64 a) { return bfind(imm, a); });
  bind(t, Micro::brev_32, [](u32 a) { return reverse_bits(a); });
  bind(t, Micro::brev_64, [](u64 a) {
    return u64{reverse_bits(static_cast<u32>(a))} << 32 | reverse_bits(static_cast<u32>(a >> 32));
  });
  bind(t, Micro::bfe_s32, [](u32 a, u32 b, u32 c) { return bfe<u32, true>(a, b, c); });
  bind(t, Micro::bfe_u32, [](u32 a, u32 b, u32 c) { return bfe<u32, false>(a, b, c); });
  bind(t, Micro::bfe_s64, [](u64 a, u32 b, u32 c) { return bfe<u64, true>(a, b, c); });
  bind(t, Micro::bfe_u64, [](u64 a, u32 b, u32 c) { return bfe<u64, false>(a, b, c); });
  bind(t, Micro::bfi_32, [](u32 a, u32 b, u32 c, u32 d) { return bfi<u32>(a, b, c, d); });
  bind(t, Micro::bfi_64, [](u64 a, u64 b, u32 c, u32 d) { return bfi<u64>(a, b, c, d); });
  bind(t, Micro::fns, [](u32 a, u32 b, s32 c) { return fns(a, b, c); });
  // flags bit 0: .wrap instead of .clamp
  bind(t, Micro::bmsk, [](Imm imm, u32 a, u32 b) {
    const bool wrap = (imm.flags & 1) != 0;
    const u32 start = wrap ? a & 31 : a, width = wrap ? b & 31 : (b > 32 ? 32 : b);
    if (start > 31) return 0u;
    return static_cast<u32>(((u64{1} << width) - 1) << start);
  });
  bind(t, Micro::szext_u32, [](Imm imm, u32 a, u32 b) {
    const u32 n = (imm.flags & 1) != 0 ? b & 31 : b;
    return n > 31 ? a : a & ((1u << n) - 1);
  });
  bind(t, Micro::szext_s32, [](Imm imm, u32 a, u32 b) {
    const u32 n = (imm.flags & 1) != 0 ? b & 31 : b;
    if (n == 0) return 0u;
    if (n > 31) return a;
    return static_cast<u32>(static_cast<s32>(a << (32 - n)) >> (32 - n));
  });
}

// d = p ? a : b
template <class T>
const MicroOp* selp(Warp& w, const MicroOp* op, u32 mask) {
  T* d = row<T>(w, op->d);
  const T* a = row<T>(w, op->a);
  const T* b = row<T>(w, op->b);
  const u32 p = predicate(w, op->c) ^ op->flags;
#pragma GCC ivdep
  for (int i = 0; i < kLanes; ++i) {
    const T value = (p & kLaneBit[i]) != 0 ? a[i] : b[i];
    d[i] = (mask & kLaneBit[i]) != 0 ? value : d[i];
  }
  return op + 1;
}

void fill_select(Table& t) {
  bind_handler(t, Micro::selp_32, &selp<u32>);
  bind_handler(t, Micro::selp_64, &selp<u64>);
  bind(t, Micro::slct_s32_32, [](u32 a, u32 b, s32 c) { return c >= 0 ? a : b; });
  bind(t, Micro::slct_s32_64, [](u64 a, u64 b, s32 c) { return c >= 0 ? a : b; });
  bind(t, Micro::slct_f32_32, [](u32 a, u32 b, f32 c) { return c >= 0 ? a : b; });
  bind(t, Micro::slct_f32_64, [](u64 a, u64 b, f32 c) { return c >= 0 ? a : b; });
}

template <class F>
const MicroOp* combine_predicates(Warp& w, const MicroOp* op, u32 mask) {
  // flags: bit 0 negates a, bit 1 negates b
  const u32 a = predicate(w, op->a) ^ ((op->flags & 1) != 0 ? kAllLanes : 0);
  const u32 b = predicate(w, op->b) ^ ((op->flags & 2) != 0 ? kAllLanes : 0);
  write_predicate(w, op->d, F{}(a, b), mask);
  return op + 1;
}

template <class F>
void bind_predicates(Table& t, Micro micro, F) {
  bind_handler(t, micro, &combine_predicates<F>);
}

void fill_predicates(Table& t) {
  bind_predicates(t, Micro::mov_pred, [](u32 a, u32) { return a; });
  bind_predicates(t, Micro::not_pred, [](u32 a, u32) { return ~a; });
  bind_predicates(t, Micro::and_pred, [](u32 a, u32 b) { return a & b; });
  bind_predicates(t, Micro::or_pred, [](u32 a, u32 b) { return a | b; });
  bind_predicates(t, Micro::xor_pred, [](u32 a, u32 b) { return a ^ b; });
}

// Destinations of an unpacking move stand in pool[extra…]; the source may be one of them.
template <class Whole, class Part, int kParts>
const MicroOp* unpack(Warp& w, const MicroOp* op, u32 mask) {
  alignas(64) Whole source[kLanes];
  std::memcpy(source, row<Whole>(w, op->a), sizeof source);
  for (int k = 0; k < kParts; ++k) {
    Part* d = row<Part>(w, w.pool[op->extra + static_cast<u32>(k)]);
    constexpr int kBits = sizeof(Whole) * 8 / kParts;
#pragma GCC ivdep
    for (int i = 0; i < kLanes; ++i) {
      const Part value =
          static_cast<Part>(source[i] >> (k * kBits) & (~Whole{0} >> kBits * (kParts - 1)));
      d[i] = (mask & kLaneBit[i]) != 0 ? value : d[i];
    }
  }
  return op + 1;
}

// b128 registers are two rows of 64 bits: low words, then high words.
const MicroOp* mov_128(Warp& w, const MicroOp* op, u32 mask) {
  for (u32 half = 0; half < 2; ++half) {
    u64* d = row<u64>(w, op->d + half * 256);
    const u64* a = row<u64>(w, op->a + half * 256);
    each_lane(mask, [&](int i) { d[i] = a[i]; });
  }
  return op + 1;
}

const MicroOp* pack_2x64(Warp& w, const MicroOp* op, u32 mask) {
  u64* low = row<u64>(w, op->d);
  u64* high = row<u64>(w, op->d + 256);
  const u64* a = row<u64>(w, op->a);
  const u64* b = row<u64>(w, op->b);
  each_lane(mask, [&](int i) { low[i] = a[i], high[i] = b[i]; });
  return op + 1;
}

const MicroOp* unpack_2x64(Warp& w, const MicroOp* op, u32 mask) {
  const u64* low = row<u64>(w, op->a);
  const u64* high = row<u64>(w, op->a + 256);
  u64* d0 = row<u64>(w, w.pool[op->extra]);
  u64* d1 = row<u64>(w, w.pool[op->extra + 1]);
  each_lane(mask, [&](int i) { d0[i] = low[i], d1[i] = high[i]; });
  return op + 1;
}

void fill_pack(Table& t) {
  bind(t, Micro::pack_2x16, [](u32 a, u32 b) { return a | b << 16; });
  bind(t, Micro::pack_2x32, [](u32 a, u32 b) { return u64{b} << 32 | a; });
  bind(t, Micro::pack_4x16,
       [](u32 a, u32 b, u32 c, u32 d) { return u64{d} << 48 | u64{c} << 32 | u64{b} << 16 | a; });
  bind(t, Micro::unpack_lo32, [](u64 a) { return static_cast<u32>(a); });
  bind(t, Micro::unpack_hi32, [](u64 a) { return static_cast<u32>(a >> 32); });
  bind_handler(t, Micro::unpack_2x16, &unpack<u32, u32, 2>);
  bind_handler(t, Micro::unpack_2x32, &unpack<u64, u32, 2>);
  bind_handler(t, Micro::unpack_4x16, &unpack<u64, u32, 4>);
  bind_handler(t, Micro::mov_128, &mov_128);
  bind_handler(t, Micro::pack_2x64, &pack_2x64);
  bind_handler(t, Micro::unpack_2x64, &unpack_2x64);
}

}  // namespace

void fill_logic(Table& t) {
  fill_plain(t);
  fill_shift(t);
  fill_fields(t);
  fill_select(t);
  fill_predicates(t);
  fill_pack(t);
}

}  // namespace tcd::emu::TCD_ISA_NAMESPACE
