#include <bit>
#include <cstdint>

#include "machine/tests/one_instruction.h"

using namespace tcd::emu;

namespace {

using u32 = uint32_t;
using s32 = int32_t;
using u64 = uint64_t;
using s64 = int64_t;
__extension__ using u128 = unsigned __int128;
__extension__ using s128 = __int128;

const std::vector<u64> kValues = {0,
                                  1,
                                  2,
                                  7,
                                  0x7fff,
                                  0x8000,
                                  0xffff,
                                  0x12345678,
                                  0x7fffffff,
                                  0x80000000,
                                  0xffffffff,
                                  0x123456789abcdef0,
                                  ~u64{0},
                                  u64{1} << 63,
                                  0xfedcba9876543210};

void check32(const std::string& line, u32 (*f)(u32, u32, u32)) {
  check_lines(line, pairs_of(kValues), [f](const Inputs& x) -> u64 {
    return f(static_cast<u32>(x.a), static_cast<u32>(x.b), static_cast<u32>(x.c));
  });
}
void check64(const std::string& line, u64 (*f)(u64, u64, u64)) {
  check_lines(line, pairs_of(kValues), [f](const Inputs& x) { return f(x.a, x.b, x.c); });
}
// 16-bit results are widened without sign.
void check16(const std::string& line, u32 (*f)(u32, u32, u32)) {
  check_lines(line + " cvt.u32.u16 %d, %hd;", pairs_of(kValues), [f](const Inputs& x) -> u64 {
    return f(x.a & 0xffff, x.b & 0xffff, x.c & 0xffff) & 0xffff;
  });
}

s32 s(u32 v) { return static_cast<s32>(v); }
s64 sl(u64 v) { return static_cast<s64>(v); }
s32 s16(u32 v) { return static_cast<int16_t>(v); }
u32 clamp(s64 v) {
  return static_cast<u32>(v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v);
}

}  // namespace

TEST_CASE("add, sub, mul of all widths") {
  check32("add.u32 %d, %a, %b;", [](u32 a, u32 b, u32) { return a + b; });
  check32("sub.s32 %d, %a, %b;", [](u32 a, u32 b, u32) { return a - b; });
  check32("add.sat.s32 %d, %a, %b;", [](u32 a, u32 b, u32) { return clamp(s64{s(a)} + s(b)); });
  check32("sub.sat.s32 %d, %a, %b;", [](u32 a, u32 b, u32) { return clamp(s64{s(a)} - s(b)); });
  check64("add.s64 %D, %A, %B;", [](u64 a, u64 b, u64) { return a + b; });
  check64("sub.u64 %D, %A, %B;", [](u64 a, u64 b, u64) { return a - b; });
  check16("add.u16 %hd, %ha, %hb;", [](u32 a, u32 b, u32) { return a + b; });
  check16("sub.s16 %hd, %ha, %hb;", [](u32 a, u32 b, u32) { return a - b; });
  check32("mul.lo.u32 %d, %a, %b;", [](u32 a, u32 b, u32) { return a * b; });
  check32("mul.hi.u32 %d, %a, %b;",
          [](u32 a, u32 b, u32) { return static_cast<u32>(u64{a} * b >> 32); });
  check32("mul.hi.s32 %d, %a, %b;",
          [](u32 a, u32 b, u32) { return static_cast<u32>(s64{s(a)} * s(b) >> 32); });
  check64("mul.hi.u64 %D, %A, %B;",
          [](u64 a, u64 b, u64) { return static_cast<u64>(u128{a} * b >> 64); });
  check64("mul.hi.s64 %D, %A, %B;",
          [](u64 a, u64 b, u64) { return static_cast<u64>(s128{sl(a)} * sl(b) >> 64); });
  check64("mul.wide.u32 %D, %a, %b;",
          [](u64 a, u64 b, u64) { return u64{static_cast<u32>(a)} * static_cast<u32>(b); });
  check64("mul.wide.s32 %D, %a, %b;", [](u64 a, u64 b, u64) {
    return static_cast<u64>(s64{s(static_cast<u32>(a))} * s(static_cast<u32>(b)));
  });
  check32("mul.wide.s16 %d, %ha, %hb;",
          [](u32 a, u32 b, u32) { return static_cast<u32>(s16(a) * s16(b)); });
  check16("mul.lo.s16 %hd, %ha, %hb;", [](u32 a, u32 b, u32) { return a * b; });
  check16("mul.hi.s16 %hd, %ha, %hb;",
          [](u32 a, u32 b, u32) { return static_cast<u32>(s16(a) * s16(b) >> 16); });
}

TEST_CASE("mad, mul24, dot products") {
  check32("mad.lo.s32 %d, %a, %b, %c;", [](u32 a, u32 b, u32 c) { return a * b + c; });
  check32("mad.hi.s32 %d, %a, %b, %c;",
          [](u32 a, u32 b, u32 c) { return static_cast<u32>(s64{s(a)} * s(b) >> 32) + c; });
  check32("mad.hi.sat.s32 %d, %a, %b, %c;",
          [](u32 a, u32 b, u32 c) { return clamp((s64{s(a)} * s(b) >> 32) + s(c)); });
  check64("mad.wide.s32 %D, %a, %b, %C;", [](u64 a, u64 b, u64 c) {
    return static_cast<u64>(s64{s(static_cast<u32>(a))} * s(static_cast<u32>(b))) + c;
  });
  check64("mad.lo.u64 %D, %A, %B, %C;", [](u64 a, u64 b, u64 c) { return a * b + c; });
  check32("mul24.lo.u32 %d, %a, %b;",
          [](u32 a, u32 b, u32) { return (a & 0xffffff) * (b & 0xffffff); });
  check32("mul24.hi.s32 %d, %a, %b;", [](u32 a, u32 b, u32) {
    return static_cast<u32>(s64{s(a << 8) >> 8} * (s(b << 8) >> 8) >> 16);
  });
  check32("dp4a.s32.u32 %d, %a, %b, %c;", [](u32 a, u32 b, u32 c) {
    for (int i = 0; i < 4; ++i) {
      c += static_cast<u32>(static_cast<int8_t>(a >> 8 * i) * static_cast<s32>(b >> 8 * i & 255));
    }
    return c;
  });
}

TEST_CASE("division never traps") {
  check32("div.u32 %d, %a, %b;", [](u32 a, u32 b, u32) { return b == 0 ? ~0u : a / b; });
  check32("rem.u32 %d, %a, %b;", [](u32 a, u32 b, u32) { return b == 0 ? ~0u : a % b; });
  check32("div.s32 %d, %a, %b;", [](u32 a, u32 b, u32) {
    if (b == 0) return ~0u;
    return static_cast<u32>(s64{s(a)} / s(b));
  });
  check32("rem.s32 %d, %a, %b;", [](u32 a, u32 b, u32) {
    if (b == 0) return ~0u;
    return static_cast<u32>(s64{s(a)} % s(b));
  });
  check64("div.s64 %D, %A, %B;", [](u64 a, u64 b, u64) {
    if (b == 0) return ~u64{0};
    return static_cast<u64>(s128{sl(a)} / sl(b));
  });
  check64("rem.u64 %D, %A, %B;", [](u64 a, u64 b, u64) { return b == 0 ? ~u64{0} : a % b; });
}

TEST_CASE("order: min, max, abs, neg, sad") {
  check32("min.s32 %d, %a, %b;", [](u32 a, u32 b, u32) { return s(a) < s(b) ? a : b; });
  check32("max.u32 %d, %a, %b;", [](u32 a, u32 b, u32) { return a > b ? a : b; });
  check64("min.u64 %D, %A, %B;", [](u64 a, u64 b, u64) { return a < b ? a : b; });
  check64("max.s64 %D, %A, %B;", [](u64 a, u64 b, u64) { return sl(a) > sl(b) ? a : b; });
  check16("max.s16 %hd, %ha, %hb;", [](u32 a, u32 b, u32) { return s16(a) > s16(b) ? a : b; });
  check32("min.s16x2 %d, %a, %b;", [](u32 a, u32 b, u32) {
    const u32 low = s16(a) < s16(b) ? a : b, high = s16(a >> 16) < s16(b >> 16) ? a : b;
    return (low & 0xffff) | (high & 0xffff0000u);
  });
  check32("abs.s32 %d, %a;", [](u32 a, u32, u32) { return s(a) < 0 ? 0 - a : a; });
  check64("neg.s64 %D, %A;", [](u64 a, u64, u64) { return 0 - a; });
  check32("sad.s32 %d, %a, %b, %c;", [](u32 a, u32 b, u32 c) {
    const s64 d = s64{s(a)} - s(b);
    return c + static_cast<u32>(d < 0 ? -d : d);
  });
}

TEST_CASE("carries link 32-bit pieces into wide sums") {
  check64("add.cc.u32 %d, %a, %b; addc.u32 %e, %c, 0;", [](u64 a, u64 b, u64 c) {
    const u64 low = u64{static_cast<u32>(a)} + static_cast<u32>(b);
    return (low & 0xffffffffu) | (u64{static_cast<u32>(c)} + (low >> 32)) << 32;
  });
  check64("sub.cc.u32 %d, %a, %b; subc.u32 %e, %c, 1;", [](u64 a, u64 b, u64 c) {
    const u32 x = static_cast<u32>(a), y = static_cast<u32>(b);
    return u64{x - y} | u64{static_cast<u32>(c) - 1 - (x < y ? 1 : 0)} << 32;
  });
  check64("mad.lo.cc.u32 %d, %a, %b, %c; madc.hi.u32 %e, %a, %b, 0;", [](u64 a, u64 b, u64 c) {
    return u64{static_cast<u32>(a)} * static_cast<u32>(b) + static_cast<u32>(c);
  });
}

TEST_CASE("logic, shifts, funnels") {
  check32("and.b32 %d, %a, %b;", [](u32 a, u32 b, u32) { return a & b; });
  check32("or.b32 %d, %a, 0xf0f0;", [](u32 a, u32, u32) { return a | 0xf0f0; });
  check64("xor.b64 %D, %A, %B;", [](u64 a, u64 b, u64) { return a ^ b; });
  check32("not.b32 %d, %a;", [](u32 a, u32, u32) { return ~a; });
  check16("not.b16 %hd, %ha;", [](u32 a, u32, u32) { return ~a; });
  check32("cnot.b32 %d, %a;", [](u32 a, u32, u32) { return a == 0 ? 1u : 0u; });
  check32("lop3.b32 %d, %a, %b, %c, 0x96;", [](u32 a, u32 b, u32 c) { return a ^ b ^ c; });
  check32("lop3.b32 %d, %a, %b, %c, 0xca;", [](u32 a, u32 b, u32 c) { return (a & b) | (~a & c); });
  check32("shl.b32 %d, %a, %b;", [](u32 a, u32 b, u32) { return b > 31 ? 0 : a << b; });
  check32("shr.u32 %d, %a, %b;", [](u32 a, u32 b, u32) { return b > 31 ? 0 : a >> b; });
  check32("shr.s32 %d, %a, %b;",
          [](u32 a, u32 b, u32) { return static_cast<u32>(s(a) >> (b > 31 ? 31 : b)); });
  check64("shl.b64 %D, %A, %b;", [](u64 a, u64 b, u64) {
    return static_cast<u32>(b) > 63 ? 0 : a << static_cast<u32>(b);
  });
  check64("shr.s64 %D, %A, %b;", [](u64 a, u64 b, u64) {
    const u32 n = static_cast<u32>(b);
    return static_cast<u64>(sl(a) >> (n > 63 ? 63 : n));
  });
  check32("shf.l.wrap.b32 %d, %a, %b, %c;", [](u32 a, u32 b, u32 c) {
    return static_cast<u32>((u64{b} << 32 | a) << (c & 31) >> 32);
  });
  check32("shf.r.clamp.b32 %d, %a, %b, %c;", [](u32 a, u32 b, u32 c) {
    const u32 n = c > 32 ? 32 : c;
    return n == 32 ? b : static_cast<u32>((u64{b} << 32 | a) >> n);
  });
  check32("prmt.b32 %d, %a, %b, 0x7531;", [](u32 a, u32 b, u32) {
    return (a >> 8 & 0xff) | (a >> 24) << 8 | (b >> 8 & 0xff) << 16 | b >> 24 << 24;
  });
  check32("prmt.b32 %d, %a, %b, 0x9a9b;", [](u32 a, u32, u32) {
    const auto sign = [&](int i) { return (a >> (8 * i + 7) & 1) != 0 ? 0xffu : 0u; };
    return sign(3) | sign(1) << 8 | sign(2) << 16 | sign(1) << 24;
  });
}

TEST_CASE("bit fields and counts") {
  check32("popc.b32 %d, %a;", [](u32 a, u32, u32) { return u32(std::popcount(a)); });
  check64("popc.b64 %d, %A;", [](u64 a, u64, u64) { return u64(std::popcount(a)); });
  check32("clz.b32 %d, %a;", [](u32 a, u32, u32) { return u32(std::countl_zero(a)); });
  check64("clz.b64 %d, %A;", [](u64 a, u64, u64) { return u64(std::countl_zero(a)); });
  check32("bfind.u32 %d, %a;",
          [](u32 a, u32, u32) { return a == 0 ? ~0u : u32(31 - std::countl_zero(a)); });
  check32("bfind.s32 %d, %a;", [](u32 a, u32, u32) {
    const u32 v = s(a) < 0 ? ~a : a;
    return v == 0 ? ~0u : u32(31 - std::countl_zero(v));
  });
  check32("brev.b32 %d, %a;", [](u32 a, u32, u32) {
    u32 r = 0;
    for (int i = 0; i < 32; ++i) r |= (a >> i & 1) << (31 - i);
    return r;
  });
  check32("bfe.u32 %d, %a, 5, 11;", [](u32 a, u32, u32) { return a >> 5 & 0x7ff; });
  check32("bfe.s32 %d, %a, 5, 11;",
          [](u32 a, u32, u32) { return static_cast<u32>(s(a << 16) >> 21); });
  check32("bfe.s32 %d, %a, 28, 12;",  // beyond the top: the sign bit fills
          [](u32 a, u32, u32) { return static_cast<u32>(s(a) >> 28); });
  check64("bfe.u64 %D, %A, 40, 40;", [](u64 a, u64, u64) { return a >> 40; });
  check32("bfi.b32 %d, %a, %b, 8, 4;",
          [](u32 a, u32 b, u32) { return (b & ~0xf00u) | (a << 8 & 0xf00u); });
  check64("bfi.b64 %D, %A, %B, 60, 8;",
          [](u64 a, u64 b, u64) { return (b & ~(u64{0xf} << 60)) | a << 60; });
  check32("fns.b32 %d, %a, 0, 2;", [](u32 a, u32, u32) {
    int seen = 0;
    for (u32 i = 0; i < 32; ++i) {
      if ((a >> i & 1) != 0 && ++seen == 2) return i;
    }
    return ~0u;
  });
}

TEST_CASE("comparisons with all their trimmings") {
  check32("setp.lt.s32 %p, %a, %b; selp.b32 %d, 1, 0, %p;",
          [](u32 a, u32 b, u32) { return s(a) < s(b) ? 1u : 0u; });
  check32("setp.lo.u32 %p, %a, %b; selp.b32 %d, 1, 0, %p;",
          [](u32 a, u32 b, u32) { return a < b ? 1u : 0u; });
  check32("setp.ge.s16 %p, %ha, %hb; selp.b32 %d, 1, 0, %p;",
          [](u32 a, u32 b, u32) { return s16(a) >= s16(b) ? 1u : 0u; });
  check64("setp.hi.u64 %p, %A, %B; selp.b64 %D, %A, %B, %p;",
          [](u64 a, u64 b, u64) { return a > b ? a : b; });
  check32(
      "setp.eq.u32 %q, %c, 7; setp.ne.and.s32 %p|%q, %a, %b, !%q;"
      "selp.b32 %d, 1, 0, %p; @%q or.b32 %d, %d, 2;",
      [](u32 a, u32 b, u32 c) { return c == 7 ? 0u : (a != b ? 1u : 0u) | (a == b ? 2u : 0u); });
  check32("set.gt.u32.s32 %d, %a, %b;", [](u32 a, u32 b, u32) { return s(a) > s(b) ? ~0u : 0u; });
  check32("set.le.f32.u32 %d, %a, %b;",
          [](u32 a, u32 b, u32) { return a <= b ? 0x3f800000u : 0u; });
  check32("slct.b32.s32 %d, %a, %b, %c;", [](u32 a, u32 b, u32 c) { return s(c) >= 0 ? a : b; });
  check32(
      "setp.gt.s32 %p, %a, 0; setp.gt.s32 %q, %b, 0; xor.pred %p, %p, %q; not.pred %q, %p;"
      "selp.b32 %d, 1, 0, %p; @%q add.u32 %d, %d, 2;",
      [](u32 a, u32 b, u32) { return (s(a) > 0) != (s(b) > 0) ? 1u : 2u; });
}

TEST_CASE("moves between widths") {
  check64("mov.b64 {%d, %e}, %A; mov.b64 %D, {%e, %d}; mov.u32 %d, 0; mov.u32 %e, 0;",
          [](u64 a, u64, u64) { return a >> 32 | a << 32; });
  check32("mov.b32 {%ha, %hb}, %a; mov.b32 %d, {%hb, %ha};",
          [](u32 a, u32, u32) { return a >> 16 | a << 16; });
  check64("mov.b64 {_, %d}, %A;", [](u64 a, u64, u64) { return a >> 32; });
  check64("mov.b64 {%ha, %hb, %hc, %hd}, %A; mov.b64 %D, {%hd, %hc, %hb, %ha};",
          [](u64 a, u64, u64) {
            return a >> 48 | (a >> 32 & 0xffff) << 16 | (a >> 16 & 0xffff) << 32 | a << 48;
          });
}

TEST_CASE("a wrong expectation is noticed") {  // the control of everything above
  const auto results = run_lines("add.u32 %d, %a, %b;", pairs_of(kValues), isas().back());
  const auto inputs = pairs_of(kValues);
  size_t differ = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    differ += results[i] != static_cast<u32>(inputs[i].a - inputs[i].b);
  }
  CHECK(differ > inputs.size() / 2);
}
