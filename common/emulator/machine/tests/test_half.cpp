// Half precision and conversions against exact arithmetic in double or wider.
#include <bit>
#include <cmath>
#include <limits>

#include "machine/tests/one_instruction.h"

using namespace tcd::emu;

namespace {

using u32 = uint32_t;
using u64 = uint64_t;

double half_value(u32 h) {
  const int exponent = static_cast<int>(h >> 10 & 31);
  const double fraction = h & 0x3ff;
  double v = exponent == 31  ? (fraction != 0 ? std::nan("") : INFINITY)
             : exponent == 0 ? std::ldexp(fraction, -24)
                             : std::ldexp(fraction + 1024, exponent - 25);
  return (h & 0x8000) != 0 ? -v : v;
}

// Nearest even from an exact value, by trying the neighbours: slow, and obviously right.
u32 nearest_half(long double v) {
  if (v != v) return 0x7fff;
  const u32 sign = std::signbit(v) ? 0x8000 : 0;
  const long double size = std::fabs(v);
  if (size >= 65520) return sign | 0x7c00;
  u32 low = 0, high = 0x7bff;
  while (low < high) {  // the largest half that is not above
    const u32 middle = (low + high + 1) / 2;
    if (static_cast<long double>(half_value(middle)) <= size)
      low = middle;
    else
      high = middle - 1;
  }
  const long double below = size - half_value(low);
  const long double above = (low == 0x7bff ? 65536.0L : half_value(low + 1)) - size;
  if (below < above || (below == above && (low & 1) == 0)) return sign | low;
  return sign | (low + 1);
}

u32 bf16_of(float v) {
  if (v != v) return 0x7fff;
  const u32 b = std::bit_cast<u32>(v);
  return (b + 0x7fff + (b >> 16 & 1)) >> 16;
}
float bf(u64 h) { return std::bit_cast<float>(static_cast<u32>(h) << 16); }

const std::vector<u64> kHalves = {0x0000, 0x8000, 0x3c00, 0xbc00, 0x3555, 0x0001, 0x83ff, 0x0400,
                                  0x7bff, 0xfbff, 0x7c00, 0x7e01, 0x1234, 0x4248, 0x6400, 0x2001};

std::vector<u64> packed() {
  std::vector<u64> v;
  for (size_t i = 0; i < kHalves.size(); ++i)
    v.push_back(kHalves[i] | kHalves[(i * 7 + 3) % 16] << 16);
  return v;
}

void check_pair(const std::string& line, u32 (*g)(u32, u32, u32)) {
  check_lines(line, pairs_of(packed()), [g](const Inputs& x) -> u64 {
    return g(x.a & 0xffff, x.b & 0xffff, x.c & 0xffff) |
           u64{g(x.a >> 16 & 0xffff, x.b >> 16 & 0xffff, x.c >> 16 & 0xffff)} << 16;
  });
}

std::vector<u64> floats() {
  std::vector<u64> v;
  for (float x : {0.0f,     -0.0f,   1.0f,    -1.5f,  65504.0f, 65519.0f, 65520.0f,      5.96e-8f,
                  2.98e-8f, 3.1e-5f, 6.1e-5f, -7.75f, 2047.5f,  2048.5f,  4294967040.0f, 1e20f,
                  -3e9f,    0.5f,    2.5f,    -0.4f,  INFINITY, NAN,      8388607.5f,    1e-45f}) {
    v.push_back(std::bit_cast<u32>(x));
  }
  return v;
}
float f(u64 v) { return std::bit_cast<float>(static_cast<u32>(v)); }

}  // namespace

TEST_CASE("f16 arithmetic rounds once") {
  check_pair("add.f16x2 %d, %a, %b;",
             [](u32 a, u32 b, u32) { return nearest_half(half_value(a) + half_value(b)); });
  check_pair("mul.rn.f16x2 %d, %a, %b;",
             [](u32 a, u32 b, u32) { return nearest_half(half_value(a) * half_value(b)); });
  check_pair("fma.rn.f16x2 %d, %a, %b, %c;", [](u32 a, u32 b, u32 c) {
    const long double product = static_cast<long double>(half_value(a)) * half_value(b);
    return nearest_half(product + half_value(c));
  });
  check_lines("sub.f16 %hd, %ha, %hb; cvt.u32.u16 %d, %hd;", pairs_of(kHalves),
              [](const Inputs& x) -> u64 {
                return nearest_half(half_value(u32(x.a)) - half_value(u32(x.b)));
              });
  // 1 + 2^-11 is the tie, 2^-24 breaks it: a sum rounded in between would lose it.
  check_lines(
      "fma.rn.f16 %hd, %ha, %hb, %hc; cvt.u32.u16 %d, %hd;",
      std::vector<Inputs>(40, {0x7800, 0x7801, 0x0001}), [](const Inputs& x) -> u64 {
        return nearest_half(static_cast<long double>(half_value(u32(x.a))) * half_value(u32(x.b)) +
                            half_value(u32(x.c)));
      });
  check_pair("fma.rn.relu.f16x2 %d, %a, %b, %c;", [](u32 a, u32 b, u32 c) {
    const u32 r =
        nearest_half(static_cast<long double>(half_value(a)) * half_value(b) + half_value(c));
    return r == 0x7fff || (r & 0x8000) == 0 ? r : 0u;
  });
  check_pair("neg.f16x2 %d, %a;",
             [](u32 a, u32, u32) { return (a & 0x7fff) > 0x7c00 ? 0x7fffu : a ^ 0x8000; });
  check_pair("max.f16x2 %d, %a, %b;", [](u32 a, u32 b, u32) -> u32 {
    const double x = half_value(a), y = half_value(b);
    if (x != x && y != y) return 0x7fff;
    if (x != x) return b;
    if (y != y) return a;
    if (x == y) return (a & 0x8000) != 0 ? b : a;
    return x > y ? a : b;
  });
}

TEST_CASE("bf16 arithmetic") {
  check_pair("fma.rn.bf16x2 %d, %a, %b, %c;", [](u32 a, u32 b, u32 c) {
    return bf16_of(static_cast<float>(static_cast<double>(bf(a)) * bf(b) + bf(c)));
  });
  check_pair("add.rn.bf16x2 %d, %a, %b;", [](u32 a, u32 b, u32) { return bf16_of(bf(a) + bf(b)); });
}

TEST_CASE("half comparisons") {
  check_lines(
      "setp.lt.f16 %p, %ha, %hb; selp.b32 %d, 1, 0, %p;", pairs_of(kHalves),
      [](const Inputs& x) -> u64 { return half_value(u32(x.a)) < half_value(u32(x.b)) ? 1 : 0; });
  check_lines("setp.geu.f16x2 %p|%q, %a, %b; selp.b32 %d, 1, 0, %p; selp.b32 %e, 1, 0, %q;",
              pairs_of(packed()), [](const Inputs& x) -> u64 {
                const auto geu = [](u64 a, u64 b) {
                  return !(half_value(a & 0xffff) < half_value(b & 0xffff)) ? u64{1} : 0;
                };
                return geu(x.a, x.b) | geu(x.a >> 16, x.b >> 16) << 32;
              });
}

TEST_CASE("float conversions") {
  const auto values = pairs_of(floats());
  check_lines("cvt.rn.f16.f32 %hd, %a; cvt.u32.u16 %d, %hd;", values,
              [](const Inputs& x) -> u64 { return nearest_half(f(x.a)); });
  check_lines("cvt.rn.f16x2.f32 %d, %a, %b;", values, [](const Inputs& x) -> u64 {
    return nearest_half(f(x.b)) | u64{nearest_half(f(x.a))} << 16;
  });
  check_lines("cvt.rn.bf16x2.f32 %d, %a, %b;", values,
              [](const Inputs& x) -> u64 { return bf16_of(f(x.b)) | u64{bf16_of(f(x.a))} << 16; });
  check_lines("cvt.f32.f16 %d, %ha;", pairs_of(kHalves), [](const Inputs& x) -> u64 {
    const float v = static_cast<float>(half_value(u32(x.a)));
    return v != v ? 0x7fffffffu : std::bit_cast<u32>(v);
  });
  check_lines("cvt.rn.f64.s32 %D, %a;", values, [](const Inputs& x) {
    return std::bit_cast<u64>(static_cast<double>(static_cast<int32_t>(x.a)));
  });
  check_lines("cvt.rn.f32.u64 %d, %A;", pairs_of({~u64{0}, 1, u64{1} << 63, 0x8000008000000001}),
              [](const Inputs& x) -> u64 { return std::bit_cast<u32>(static_cast<float>(x.a)); });
  check_lines("cvt.rz.f16.f32 %hd, %a; cvt.u32.u16 %d, %hd;", values, [](const Inputs& x) -> u64 {
    const float v = f(x.a);
    if (v != v) return 0x7fff;
    if (std::isinf(v)) return v > 0 ? 0x7c00 : 0xfc00;
    u32 h = nearest_half(v);
    if ((h & 0x7fff) == 0x7c00) h -= 1;  // towards zero there is no overflow to infinity
    if (std::fabs(half_value(h)) > std::fabs(static_cast<double>(v))) h -= 1;
    return h;
  });
}

TEST_CASE("conversions to integers saturate and make 0 of NaN") {
  const auto values = pairs_of(floats());
  const auto clamp = [](double v, double low, double high) {
    return v != v ? 0.0 : v < low ? low : v > high ? high : v;
  };
  check_lines("cvt.rzi.s32.f32 %d, %a;", values, [&](const Inputs& x) -> u64 {
    return static_cast<u32>(
        static_cast<int32_t>(clamp(std::trunc(double{f(x.a)}), -2147483648.0, 2147483647.0)));
  });
  check_lines("cvt.rzi.u32.f32 %d, %a;", values, [&](const Inputs& x) -> u64 {
    return static_cast<u32>(clamp(std::trunc(double{f(x.a)}), 0, 4294967295.0));
  });
  check_lines("cvt.rni.s32.f32 %d, %a;", values, [&](const Inputs& x) -> u64 {
    return static_cast<u32>(
        static_cast<int32_t>(clamp(std::nearbyint(double{f(x.a)}), -2147483648.0, 2147483647.0)));
  });
  check_lines("cvt.rmi.s16.f32 %hd, %a; cvt.s32.s16 %d, %hd;", values, [&](const Inputs& x) -> u64 {
    return static_cast<u32>(
        static_cast<int32_t>(clamp(std::floor(double{f(x.a)}), -32768.0, 32767.0)));
  });
  check_lines("cvt.rpi.f32.f32 %d, %a;", values, [&](const Inputs& x) -> u64 {
    const float v = std::ceil(f(x.a));
    return v != v ? 0x7fffffffu : std::bit_cast<u32>(v);
  });
}

TEST_CASE("integer conversions extend and cut") {
  const std::vector<u64> v = {0,      0x7f,       0x80,       0xff,    0x7fff,
                              0x8000, 0xffff8000, 0x80000000, ~u64{0}, 300};
  const auto values = pairs_of(v);
  check_lines("cvt.s64.s32 %D, %a;", values,
              [](const Inputs& x) { return static_cast<u64>(int64_t{static_cast<int32_t>(x.a)}); });
  check_lines("cvt.u64.u32 %D, %a;", values,
              [](const Inputs& x) -> u64 { return static_cast<u32>(x.a); });
  check_lines("cvt.s32.s8 %d, %a;", values, [](const Inputs& x) -> u64 {
    return static_cast<u32>(int32_t{static_cast<int8_t>(x.a)});
  });
  check_lines("cvt.u32.s16 %d, %ha;", values, [](const Inputs& x) -> u64 {
    return static_cast<u32>(int32_t{static_cast<int16_t>(x.a)});
  });
  check_lines("cvt.s16.s8 %hd, %ha; cvt.u32.u16 %d, %hd;", values, [](const Inputs& x) -> u64 {
    return static_cast<uint16_t>(static_cast<int8_t>(x.a));
  });
  check_lines("cvt.sat.u8.s32 %d, %a;", values, [](const Inputs& x) -> u64 {
    const auto s = static_cast<int32_t>(x.a);
    return static_cast<u64>(s < 0 ? 0 : s > 255 ? 255 : s);
  });
  check_lines("cvt.sat.s8.s32 %d, %a;", values, [](const Inputs& x) -> u64 {
    const auto s = static_cast<int32_t>(x.a);
    return static_cast<u32>(s < -128 ? -128 : s > 127 ? 127 : s);
  });
}

TEST_CASE("8-bit floats") {
  const auto values = pairs_of(floats());
  // 448 is the largest e4m3; satfinite keeps it there.
  check_lines("cvt.rn.satfinite.e4m3x2.f32 %hd, %a, %b; cvt.u32.u16 %d, %hd;",
              std::vector<Inputs>(40, {std::bit_cast<u32>(1e9f), std::bit_cast<u32>(-1.75f), 0}),
              [](const Inputs&) -> u64 { return 0x7e << 8 | 0xbe; });
  check_lines("cvt.rn.f16x2.e5m2x2 %d, %ha;", std::vector<Inputs>(40, {0x3cc0, 0, 0}),
              [](const Inputs&) -> u64 { return 0x3c00c000; });
}
