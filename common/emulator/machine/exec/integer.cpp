// 16- and 32-bit integer arithmetic (PTX ISA 9.7.1). 16-bit values live zero-extended in 32 bits.
#include "machine/exec/lanes.h"

namespace tcd::emu::TCD_ISA_NAMESPACE {
namespace {

inline s32 sext16(u32 v) { return static_cast<s16>(v); }
inline s32 sext24(u32 v) { return static_cast<s32>(v << 8) >> 8; }
inline u32 zext24(u32 v) { return v & 0xffffff; }
inline u32 wrap(s64 v) { return static_cast<u32>(v); }
inline u32 saturate_s32(s64 v) {
  return wrap(v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v);
}

// Quotient and remainder by zero are all ones, as the hardware's sequence does; INT_MIN / -1 wraps.
inline u32 div_signed(s32 a, s32 b) {
  if (b == 0) return ~0u;
  return b == -1 ? 0u - static_cast<u32>(a) : static_cast<u32>(a / b);
}
inline u32 rem_signed(s32 a, s32 b) {
  if (b == 0) return ~0u;
  return b == -1 ? 0 : static_cast<u32>(a % b);
}

template <class F>
u32 halves(u32 a, u32 b, F f) {
  return low16(f(a & 0xffff, b & 0xffff)) | low16(f(a >> 16, b >> 16)) << 16;
}

void fill_add_mul(Table& t) {
  bind(t, Micro::add_16, [](u32 a, u32 b) { return low16(a + b); });
  bind(t, Micro::add_32, [](u32 a, u32 b) { return a + b; });
  bind(t, Micro::add_64, [](u64 a, u64 b) { return a + b; });
  bind(t, Micro::add_sat_s32, [](s32 a, s32 b) { return saturate_s32(s64{a} + b); });
  bind(t, Micro::sub_16, [](u32 a, u32 b) { return low16(a - b); });
  bind(t, Micro::sub_32, [](u32 a, u32 b) { return a - b; });
  bind(t, Micro::sub_64, [](u64 a, u64 b) { return a - b; });
  bind(t, Micro::sub_sat_s32, [](s32 a, s32 b) { return saturate_s32(s64{a} - b); });
  bind(t, Micro::mul_lo_16, [](u32 a, u32 b) { return low16(a * b); });
  bind(t, Micro::mul_lo_32, [](u32 a, u32 b) { return a * b; });
  bind(t, Micro::mul_lo_64, [](u64 a, u64 b) { return a * b; });
  bind(t, Micro::mul_hi_s16,
       [](u32 a, u32 b) { return low16(static_cast<u32>(sext16(a) * sext16(b)) >> 16); });
  bind(t, Micro::mul_hi_u16, [](u32 a, u32 b) { return a * b >> 16; });
  bind(t, Micro::mul_hi_s32, [](s32 a, s32 b) { return wrap(s64{a} * b >> 32); });
  bind(t, Micro::mul_hi_u32, [](u32 a, u32 b) { return static_cast<u32>(u64{a} * b >> 32); });
  bind(t, Micro::mul_wide_s16,
       [](u32 a, u32 b) { return static_cast<u32>(sext16(a) * sext16(b)); });
  bind(t, Micro::mul_wide_u16, [](u32 a, u32 b) { return a * b; });
  bind(t, Micro::mul_wide_s32, [](s32 a, s32 b) { return s64{a} * b; });
  bind(t, Micro::mul_wide_u32, [](u32 a, u32 b) { return u64{a} * b; });
}

void fill_mad(Table& t) {
  bind(t, Micro::mad_lo_16, [](u32 a, u32 b, u32 c) { return low16(a * b + c); });
  bind(t, Micro::mad_lo_32, [](u32 a, u32 b, u32 c) { return a * b + c; });
  bind(t, Micro::mad_lo_64, [](u64 a, u64 b, u64 c) { return a * b + c; });
  bind(t, Micro::mad_hi_s16, [](u32 a, u32 b, u32 c) {
    return low16((static_cast<u32>(sext16(a) * sext16(b)) >> 16) + c);
  });
  bind(t, Micro::mad_hi_u16, [](u32 a, u32 b, u32 c) { return low16((a * b >> 16) + c); });
  bind(t, Micro::mad_hi_s32, [](s32 a, s32 b, u32 c) { return wrap(s64{a} * b >> 32) + c; });
  bind(t, Micro::mad_hi_u32,
       [](u32 a, u32 b, u32 c) { return static_cast<u32>(u64{a} * b >> 32) + c; });
  bind(t, Micro::mad_hi_sat_s32,
       [](s32 a, s32 b, s32 c) { return saturate_s32((s64{a} * b >> 32) + c); });
  bind(t, Micro::mad_wide_s16,
       [](u32 a, u32 b, u32 c) { return static_cast<u32>(sext16(a) * sext16(b)) + c; });
  bind(t, Micro::mad_wide_u16, [](u32 a, u32 b, u32 c) { return a * b + c; });
  bind(t, Micro::mad_wide_s32,
       [](s32 a, s32 b, u64 c) { return static_cast<u64>(s64{a} * b) + c; });
  bind(t, Micro::mad_wide_u32, [](u32 a, u32 b, u64 c) { return u64{a} * b + c; });
  bind(t, Micro::mul24_lo_s32, [](u32 a, u32 b) { return wrap(s64{sext24(a)} * sext24(b)); });
  bind(t, Micro::mul24_lo_u32, [](u32 a, u32 b) { return zext24(a) * zext24(b); });
  bind(t, Micro::mul24_hi_s32, [](u32 a, u32 b) { return wrap(s64{sext24(a)} * sext24(b) >> 16); });
  bind(t, Micro::mul24_hi_u32,
       [](u32 a, u32 b) { return static_cast<u32>(u64{zext24(a)} * zext24(b) >> 16); });
  bind(t, Micro::mad24_lo_s32,
       [](u32 a, u32 b, u32 c) { return wrap(s64{sext24(a)} * sext24(b)) + c; });
  bind(t, Micro::mad24_lo_u32, [](u32 a, u32 b, u32 c) { return zext24(a) * zext24(b) + c; });
  bind(t, Micro::mad24_hi_s32,
       [](u32 a, u32 b, u32 c) { return wrap(s64{sext24(a)} * sext24(b) >> 16) + c; });
  bind(t, Micro::mad24_hi_u32,
       [](u32 a, u32 b, u32 c) { return static_cast<u32>(u64{zext24(a)} * zext24(b) >> 16) + c; });
}

void fill_divide(Table& t) {
  bind(t, Micro::div_s16, [](u32 a, u32 b) { return low16(div_signed(sext16(a), sext16(b))); });
  bind(t, Micro::div_u16, [](u32 a, u32 b) { return b == 0 ? 0xffffu : a / b; });
  bind(t, Micro::div_s32, [](s32 a, s32 b) { return div_signed(a, b); });
  bind(t, Micro::div_u32, [](u32 a, u32 b) { return b == 0 ? ~0u : a / b; });
  bind(t, Micro::rem_s16, [](u32 a, u32 b) { return low16(rem_signed(sext16(a), sext16(b))); });
  bind(t, Micro::rem_u16, [](u32 a, u32 b) { return b == 0 ? 0xffffu : a % b; });
  bind(t, Micro::rem_s32, [](s32 a, s32 b) { return rem_signed(a, b); });
  bind(t, Micro::rem_u32, [](u32 a, u32 b) { return b == 0 ? ~0u : a % b; });
}

void fill_order(Table& t) {
  bind(t, Micro::sad_s16, [](u32 a, u32 b, u32 c) {
    const s32 d = sext16(a) - sext16(b);
    return low16(c + static_cast<u32>(d < 0 ? -d : d));
  });
  bind(t, Micro::sad_u16, [](u32 a, u32 b, u32 c) { return low16(c + (a > b ? a - b : b - a)); });
  bind(t, Micro::sad_s32, [](s32 a, s32 b, u32 c) {
    const u32 x = static_cast<u32>(a), y = static_cast<u32>(b);
    return c + (a > b ? x - y : y - x);
  });
  bind(t, Micro::sad_u32, [](u32 a, u32 b, u32 c) { return c + (a > b ? a - b : b - a); });
  bind(t, Micro::abs_s16, [](u32 a) { return low16(sext16(a) < 0 ? 0 - a : a); });
  bind(t, Micro::abs_s32, [](u32 a) { return static_cast<s32>(a) < 0 ? 0 - a : a; });
  bind(t, Micro::neg_16, [](u32 a) { return low16(0 - a); });
  bind(t, Micro::neg_32, [](u32 a) { return 0 - a; });
  bind(t, Micro::min_s16, [](u32 a, u32 b) { return sext16(a) < sext16(b) ? a : b; });
  bind(t, Micro::min_u16, [](u32 a, u32 b) { return a < b ? a : b; });
  bind(t, Micro::min_s32, [](s32 a, s32 b) { return a < b ? a : b; });
  bind(t, Micro::min_u32, [](u32 a, u32 b) { return a < b ? a : b; });
  bind(t, Micro::max_s16, [](u32 a, u32 b) { return sext16(a) > sext16(b) ? a : b; });
  bind(t, Micro::max_u16, [](u32 a, u32 b) { return a > b ? a : b; });
  bind(t, Micro::max_s32, [](s32 a, s32 b) { return a > b ? a : b; });
  bind(t, Micro::max_u32, [](u32 a, u32 b) { return a > b ? a : b; });
  bind(t, Micro::min_relu_s32, [](s32 a, s32 b) {
    const s32 m = a < b ? a : b;
    return m < 0 ? 0 : m;
  });
  bind(t, Micro::max_relu_s32, [](s32 a, s32 b) {
    const s32 m = a > b ? a : b;
    return m < 0 ? 0 : m;
  });
  bind(t, Micro::add_16x2,
       [](u32 a, u32 b) { return halves(a, b, [](u32 x, u32 y) { return x + y; }); });
  bind(t, Micro::min_u16x2,
       [](u32 a, u32 b) { return halves(a, b, [](u32 x, u32 y) { return x < y ? x : y; }); });
  bind(t, Micro::max_u16x2,
       [](u32 a, u32 b) { return halves(a, b, [](u32 x, u32 y) { return x > y ? x : y; }); });
  bind(t, Micro::min_s16x2, [](u32 a, u32 b) {
    return halves(a, b, [](u32 x, u32 y) { return sext16(x) < sext16(y) ? x : y; });
  });
  bind(t, Micro::max_s16x2, [](u32 a, u32 b) {
    return halves(a, b, [](u32 x, u32 y) { return sext16(x) > sext16(y) ? x : y; });
  });
}

// flags: bit 0 a is signed, bit 1 b is signed, bit 2 dp2a takes the high half of b.
inline s32 byte_of(u32 v, int i, bool is_signed) {
  const u32 byte = v >> (8 * i) & 0xff;
  return is_signed ? static_cast<s8>(byte) : static_cast<s32>(byte);
}

void fill_dot(Table& t) {
  bind(t, Micro::dp4a, [](Imm imm, u32 a, u32 b, u32 c) {
    const bool sa = (imm.flags & 1) != 0, sb = (imm.flags & 2) != 0;
    for (int i = 0; i < 4; ++i) c += static_cast<u32>(byte_of(a, i, sa) * byte_of(b, i, sb));
    return c;
  });
  bind(t, Micro::dp2a, [](Imm imm, u32 a, u32 b, u32 c) {
    const bool sa = (imm.flags & 1) != 0, sb = (imm.flags & 2) != 0;
    const int first = (imm.flags & 4) != 0 ? 2 : 0;
    for (int i = 0; i < 2; ++i) {
      const u32 half = a >> (16 * i) & 0xffff;
      const s32 x = sa ? sext16(half) : static_cast<s32>(half);
      c += static_cast<u32>(x * byte_of(b, first + i, sb));
    }
    return c;
  });
}

}  // namespace

void fill_integer(Table& t) {
  fill_add_mul(t);
  fill_mad(t);
  fill_divide(t);
  fill_order(t);
  fill_dot(t);
}

}  // namespace tcd::emu::TCD_ISA_NAMESPACE
