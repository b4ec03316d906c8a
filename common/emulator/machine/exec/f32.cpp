// Single precision (PTX ISA 9.7.3). Round to nearest runs in vector loops; the other roundings
// and .sat go through arith_f32, a lane at a time.
//
// The approximate functions return results rounded from double precision, which is inside every
// error the PTX ISA documents for them (0 to 2 units in the last place; 2^-20.9 for sin and cos in
// [-pi, pi]; 2^-11 for tanh). A card's last bits differ.
#include <limits>

#include "machine/exec/float_rules.h"

namespace tcd::emu::TCD_ISA_NAMESPACE {
namespace {

void fill_nearest(Table& t) {
  bind(t, Micro::add_f32, [](f32 a, f32 b) { return canonical(a + b); });
  bind(t, Micro::sub_f32, [](f32 a, f32 b) { return canonical(a - b); });
  bind(t, Micro::mul_f32, [](f32 a, f32 b) { return canonical(a * b); });
  bind(t, Micro::fma_f32, [](f32 a, f32 b, f32 c) { return canonical(std::fma(a, b, c)); });
  bind(t, Micro::add_ftz_f32, [](f32 a, f32 b) { return canonical(flush(flush(a) + flush(b))); });
  bind(t, Micro::sub_ftz_f32, [](f32 a, f32 b) { return canonical(flush(flush(a) - flush(b))); });
  bind(t, Micro::mul_ftz_f32, [](f32 a, f32 b) { return canonical(flush(flush(a) * flush(b))); });
  bind(t, Micro::fma_ftz_f32, [](f32 a, f32 b, f32 c) {
    return canonical(flush(std::fma(flush(a), flush(b), flush(c))));
  });
}

// flags: FloatFlag variants, operation: 0 add, 1 sub, 2 mul, 3 fma, 4 div, 5 rcp, 6 sqrt.
const MicroOp* arith_f32(Warp& w, const MicroOp* op, u32 mask) {
  f32* d = row<f32>(w, op->d);
  const f32* a = row<f32>(w, op->a);
  const f32* b = row<f32>(w, op->b);
  const f32* c = row<f32>(w, op->c);
  const u32 flags = op->flags, operation = flags >> kOpShift;
  const bool ftz = (flags & kFtz) != 0, sat = (flags & kSat) != 0;
  const RoundingScope scope(flags & kRoundMask);
  each_lane(mask, [&](int i) {
    const f32 x = ftz ? flush(a[i]) : a[i];
    const f32 y = ftz ? flush(b[i]) : b[i];
    f32 r;
    switch (operation) {
      case 0:
        r = x + y;
        break;
      case 1:
        r = x - y;
        break;
      case 2:
        r = x * y;
        break;
      case 3:
        r = std::fma(x, y, ftz ? flush(c[i]) : c[i]);
        break;
      case 4:
        r = x / y;
        break;
      case 5:
        r = 1.0f / x;
        break;
      default:
        r = std::sqrt(x);
        break;
    }
    if (ftz) r = flush(r);
    d[i] = sat ? saturate(r) : canonical(r);
  });
  return op + 1;
}

// -0 orders below +0; a NaN loses to a number unless .NaN is given.
inline f32 lesser(f32 a, f32 b) {
  const f32 m = a == b ? from_bits(bits(a) | bits(b)) : a < b ? a : b;
  return a != a ? canonical(b) : b != b ? a : m;
}
inline f32 greater(f32 a, f32 b) {
  const f32 m = a == b ? from_bits(bits(a) & bits(b)) : a > b ? a : b;
  return a != a ? canonical(b) : b != b ? a : m;
}

// flags: bit 0 max, bit 1 .NaN, kFtz, bit 3 .xorsign.abs, bit 4 three inputs.
inline f32 minmax(Imm imm, f32 a, f32 b, f32 c) {
  if ((imm.flags & kFtz) != 0) a = flush(a), b = flush(b), c = flush(c);
  const u32 sign = (bits(a) ^ bits(b)) & 0x80000000u;
  if ((imm.flags & 8) != 0)
    a = from_bits(bits(a) & 0x7fffffffu), b = from_bits(bits(b) & 0x7fffffffu);
  const bool three = (imm.flags & 16) != 0;
  if ((imm.flags & 2) != 0 && (a != a || b != b || (three && c != c))) {
    return from_bits(0x7fffffffu);
  }
  f32 r = (imm.flags & 1) != 0 ? greater(a, b) : lesser(a, b);
  if (three) r = (imm.flags & 1) != 0 ? greater(r, c) : lesser(r, c);
  if ((imm.flags & 8) != 0 && r == r) r = from_bits((bits(r) & 0x7fffffffu) | sign);
  return r;
}

void fill_signs(Table& t) {
  bind(t, Micro::min_f32, [](f32 a, f32 b) { return lesser(a, b); });
  bind(t, Micro::max_f32, [](f32 a, f32 b) { return greater(a, b); });
  bind(t, Micro::minmax_f32, [](Imm imm, f32 a, f32 b, f32 c) { return minmax(imm, a, b, c); });
  bind(t, Micro::abs_f32, [](f32 a) { return canonical(from_bits(bits(a) & 0x7fffffffu)); });
  bind(t, Micro::neg_f32, [](f32 a) { return canonical(from_bits(bits(a) ^ 0x80000000u)); });
  bind(t, Micro::abs_ftz_f32,
       [](f32 a) { return canonical(from_bits(bits(flush(a)) & 0x7fffffffu)); });
  bind(t, Micro::neg_ftz_f32,
       [](f32 a) { return canonical(from_bits(bits(flush(a)) ^ 0x80000000u)); });
  bind(t, Micro::copysign_f32, [](u32 a, u32 b) { return (a & 0x80000000u) | (b & 0x7fffffffu); });
}

template <class F>
inline f32 unary(Imm imm, f32 a, F f) {
  const bool ftz = (imm.flags & kFtz) != 0;
  const f32 r = static_cast<f32>(f(static_cast<f64>(ftz ? flush(a) : a)));
  return canonical(ftz ? flush(r) : r);
}

// The hardware takes sin and cos in turns: the argument is first multiplied by 1/(2 pi) in single
// precision, and what that loses far outside [-pi, pi] is lost here too. Infinity gives NaN.
inline f64 turns(f64 x) {
  const f32 t = static_cast<f32>(x) * 0.159154943f;
  return (static_cast<f64>(t) - std::nearbyint(static_cast<f64>(t))) * 6.283185307179586;
}

void fill_functions(Table& t) {
  bind(t, Micro::div_f32, [](Imm imm, f32 a, f32 b) {
    const bool ftz = (imm.flags & kFtz) != 0;
    const f32 q = ftz ? flush(flush(a) / flush(b)) : a / b;
    return canonical(q);
  });
  // The reciprocal of a divisor above 2^126 is subnormal and flushed (PTX ISA 9.7.3, div.approx).
  bind(t, Micro::div_approx_f32, [](Imm imm, f32 a, f32 b) {
    const bool ftz = (imm.flags & kFtz) != 0, huge = std::fabs(b) > 8.507059e37f;
    const f32 zero = from_bits(bits(b) & 0x80000000u);
    const f32 q = huge ? a * zero : ftz ? flush(flush(a) / flush(b)) : a / b;
    return canonical(q);
  });
  bind(t, Micro::rcp_f32, [](Imm imm, f32 a) {
    const bool ftz = (imm.flags & kFtz) != 0;
    const f32 q = ftz ? flush(1.0f / flush(a)) : 1.0f / a;
    return canonical(q);
  });
  bind(t, Micro::sqrt_f32, [](Imm imm, f32 a) {
    const bool ftz = (imm.flags & kFtz) != 0;
    return canonical(std::sqrt(ftz ? flush(a) : a));
  });
  bind(t, Micro::rsqrt_f32,
       [](Imm imm, f32 a) { return unary(imm, a, [](f64 x) { return 1.0 / std::sqrt(x); }); });
  bind(t, Micro::ex2_f32,
       [](Imm imm, f32 a) { return unary(imm, a, [](f64 x) { return std::exp2(x); }); });
  bind(t, Micro::lg2_f32,
       [](Imm imm, f32 a) { return unary(imm, a, [](f64 x) { return std::log2(x); }); });
  bind(t, Micro::sin_f32,
       [](Imm imm, f32 a) { return unary(imm, a, [](f64 x) { return std::sin(turns(x)); }); });
  bind(t, Micro::cos_f32,
       [](Imm imm, f32 a) { return unary(imm, a, [](f64 x) { return std::cos(turns(x)); }); });
  bind(t, Micro::tanh_f32,
       [](Imm imm, f32 a) { return unary(imm, a, [](f64 x) { return std::tanh(x); }); });
}

}  // namespace

void fill_f32(Table& t) {
  fill_nearest(t);
  bind_handler(t, Micro::arith_f32, &arith_f32);
  fill_signs(t);
  fill_functions(t);
}

}  // namespace tcd::emu::TCD_ISA_NAMESPACE
