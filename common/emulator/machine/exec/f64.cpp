// Double precision (PTX ISA 9.7.3).
#include "machine/exec/float_rules.h"

namespace tcd::emu::TCD_ISA_NAMESPACE {
namespace {

constexpr u64 kSign = u64{1} << 63;
constexpr u64 kQuiet = u64{1} << 51;
constexpr u64 kDefaultNan = 0xfff8000000000000;

// Unlike single precision, a NaN operand's payload survives: of two, the second operand's, and of
// an fma's three b's, then c's, then a's. Division and roots prefer a. (Recorded on an H200.)
inline f64 quieted(f64 v) { return from_bits(bits(v) | kQuiet); }
inline f64 keep_nan(f64 r, f64 first) {
  return r == r ? r : first != first ? quieted(first) : from_bits(kDefaultNan);
}
inline f64 keep_nan(f64 r, f64 first, f64 second) {
  return first != first && r != r ? quieted(first) : keep_nan(r, second);
}
inline f64 keep_nan(f64 r, f64 first, f64 second, f64 third) {
  return first != first && r != r ? quieted(first) : keep_nan(r, second, third);
}

// flags as arith_f32.
const MicroOp* arith_f64(Warp& w, const MicroOp* op, u32 mask) {
  f64* d = row<f64>(w, op->d);
  const f64* a = row<f64>(w, op->a);
  const f64* b = row<f64>(w, op->b);
  const f64* c = row<f64>(w, op->c);
  const u32 operation = op->flags >> kOpShift;
  const RoundingScope scope(op->flags & kRoundMask);
  each_lane(mask, [&](int i) {
    const f64 x = a[i], y = b[i], z = c[i];
    switch (operation) {
      case 0:
        d[i] = keep_nan(x + y, y, x);
        break;
      case 1:
        d[i] = keep_nan(x - y, y, x);
        break;
      case 2:
        d[i] = keep_nan(x * y, y, x);
        break;
      case 3:
        d[i] = keep_nan(std::fma(x, y, z), y, z, x);
        break;
      case 4:
        d[i] = keep_nan(x / y, x, y);
        break;
      case 5:
        d[i] = keep_nan(1.0 / x, x);
        break;
      default:
        d[i] = keep_nan(std::sqrt(x), x);
        break;
    }
  });
  return op + 1;
}

inline f64 lesser(f64 a, f64 b) {
  const f64 m = a == b ? from_bits(bits(a) | bits(b)) : a < b ? a : b;
  return a != a ? (b != b ? quieted(b) : b) : b != b ? a : m;
}
inline f64 greater(f64 a, f64 b) {
  const f64 m = a == b ? from_bits(bits(a) & bits(b)) : a > b ? a : b;
  return a != a ? (b != b ? quieted(b) : b) : b != b ? a : m;
}

// rcp.approx.ftz.f64 and its like see and make only the upper 32 bits.
inline f64 upper(f64 v) {
  const u64 b = bits(v) & ~u64{0xffffffff};
  return (b & 0x7ff0000000000000u) == 0 ? from_bits(b & kSign) : from_bits(b);
}
inline f64 coarse(f64 v) {
  if (v != v) return from_bits(u64{0x7fffffff} << 32);
  const u64 rounded = (bits(v) + 0x80000000u) & ~u64{0xffffffff};
  return (rounded & 0x7ff0000000000000u) == 0 ? from_bits(rounded & kSign) : from_bits(rounded);
}

}  // namespace

void fill_f64(Table& t) {
  bind(t, Micro::add_f64, [](f64 a, f64 b) { return keep_nan(a + b, b, a); });
  bind(t, Micro::sub_f64, [](f64 a, f64 b) { return keep_nan(a - b, b, a); });
  bind(t, Micro::mul_f64, [](f64 a, f64 b) { return keep_nan(a * b, b, a); });
  bind(t, Micro::fma_f64, [](f64 a, f64 b, f64 c) { return keep_nan(std::fma(a, b, c), b, c, a); });
  bind_handler(t, Micro::arith_f64, &arith_f64);
  bind(t, Micro::min_f64, [](f64 a, f64 b) { return lesser(a, b); });
  bind(t, Micro::max_f64, [](f64 a, f64 b) { return greater(a, b); });
  bind(t, Micro::abs_f64, [](f64 a) { return a == a ? from_bits(bits(a) & ~kSign) : quieted(a); });
  bind(t, Micro::neg_f64, [](f64 a) { return a == a ? from_bits(bits(a) ^ kSign) : quieted(a); });
  bind(t, Micro::div_f64, [](f64 a, f64 b) { return keep_nan(a / b, a, b); });
  bind(t, Micro::rcp_f64, [](f64 a) { return keep_nan(1.0 / a, a); });
  bind(t, Micro::sqrt_f64, [](f64 a) { return keep_nan(std::sqrt(a), a); });
  bind(t, Micro::rsqrt_f64, [](f64 a) { return keep_nan(1.0 / std::sqrt(a), a); });
  bind(t, Micro::rsqrt_ftz_f64, [](f64 a) { return coarse(1.0 / std::sqrt(upper(a))); });
  bind(t, Micro::rcp_ftz_f64, [](f64 a) { return coarse(1.0 / upper(a)); });
  bind(t, Micro::copysign_f64, [](u64 a, u64 b) { return (a & kSign) | (b & ~kSign); });
}

}  // namespace tcd::emu::TCD_ISA_NAMESPACE
