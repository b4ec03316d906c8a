// Double precision (PTX ISA 9.7.3).
#include "machine/exec/float_rules.h"

namespace tcd::emu::TCD_ISA_NAMESPACE {
namespace {

// flags as arith_f32.
const MicroOp* arith_f64(Warp& w, const MicroOp* op, u32 mask) {
  f64* d = row<f64>(w, op->d);
  const f64* a = row<f64>(w, op->a);
  const f64* b = row<f64>(w, op->b);
  const f64* c = row<f64>(w, op->c);
  const u32 operation = op->flags >> kOpShift;
  const bool sat = (op->flags & kSat) != 0;
  const RoundingScope scope(op->flags & kRoundMask);
  each_lane(mask, [&](int i) {
    f64 r;
    switch (operation) {
      case 0:
        r = a[i] + b[i];
        break;
      case 1:
        r = a[i] - b[i];
        break;
      case 2:
        r = a[i] * b[i];
        break;
      case 3:
        r = std::fma(a[i], b[i], c[i]);
        break;
      case 4:
        r = a[i] / b[i];
        break;
      case 5:
        r = 1.0 / a[i];
        break;
      default:
        r = std::sqrt(a[i]);
        break;
    }
    d[i] = sat ? saturate(r) : canonical(r);
  });
  return op + 1;
}

inline f64 lesser(f64 a, f64 b) {
  const f64 m = a == b ? from_bits(bits(a) | bits(b)) : a < b ? a : b;
  return a != a ? canonical(b) : b != b ? a : m;
}
inline f64 greater(f64 a, f64 b) {
  const f64 m = a == b ? from_bits(bits(a) & bits(b)) : a > b ? a : b;
  return a != a ? canonical(b) : b != b ? a : m;
}

constexpr u64 kSign = u64{1} << 63;

// rcp.approx.ftz.f64 keeps the upper 32 bits of the result and clears the rest; subnormals flush.
inline f64 coarse(f64 v) { return from_bits(bits(canonical(v)) & ~u64{0xffffffff}); }
inline f64 flush(f64 v) {
  return (bits(v) & 0x7ff0000000000000u) == 0 ? from_bits(bits(v) & kSign) : v;
}

}  // namespace

void fill_f64(Table& t) {
  bind(t, Micro::add_f64, [](f64 a, f64 b) { return canonical(a + b); });
  bind(t, Micro::sub_f64, [](f64 a, f64 b) { return canonical(a - b); });
  bind(t, Micro::mul_f64, [](f64 a, f64 b) { return canonical(a * b); });
  bind(t, Micro::fma_f64, [](f64 a, f64 b, f64 c) { return canonical(std::fma(a, b, c)); });
  bind_handler(t, Micro::arith_f64, &arith_f64);
  bind(t, Micro::min_f64, [](f64 a, f64 b) { return lesser(a, b); });
  bind(t, Micro::max_f64, [](f64 a, f64 b) { return greater(a, b); });
  bind(t, Micro::abs_f64, [](u64 a) { return a & ~kSign; });
  bind(t, Micro::neg_f64, [](u64 a) { return a ^ kSign; });
  bind(t, Micro::div_f64, [](f64 a, f64 b) { return canonical(a / b); });
  bind(t, Micro::rcp_f64, [](f64 a) { return canonical(1.0 / a); });
  bind(t, Micro::sqrt_f64, [](f64 a) { return canonical(std::sqrt(a)); });
  bind(t, Micro::rsqrt_f64, [](f64 a) { return coarse(1.0 / std::sqrt(flush(a))); });
  bind(t, Micro::rcp_ftz_f64, [](f64 a) { return flush(coarse(1.0 / flush(a))); });
  bind(t, Micro::copysign_f64, [](u64 a, u64 b) { return (a & kSign) | (b & ~kSign); });
}

}  // namespace tcd::emu::TCD_ISA_NAMESPACE
