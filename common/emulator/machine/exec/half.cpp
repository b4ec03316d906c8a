// f16, f16x2, bf16, bf16x2 arithmetic (PTX ISA 9.7.4).
//
// add, sub and mul round twice without harm: a single-precision result has more than twice the
// bits of a half plus two. fma does not have that luck and goes through round-to-odd.
#include "machine/exec/float_rules.h"
#include "machine/half_flags.h"

namespace tcd::emu::TCD_ISA_NAMESPACE {
namespace {

template <bool kBf>
inline f32 widen(u32 h) {
  return kBf ? bfloat_to_float(h) : half_to_float(h);
}
template <bool kBf>
inline u32 narrow(f32 v) {
  return kBf ? float_to_bfloat(v) : float_to_half(v);
}
template <bool kBf>
inline u32 flush_half(u32 h) {
  return (h & (kBf ? 0x7f80u : 0x7c00u)) == 0 ? h & 0x8000u : h;
}
inline bool is_nan(u32 h, u32 infinity) { return (h & 0x7fff) > infinity; }

template <bool kBf>
inline u32 finish(u32 flags, u32 h) {
  constexpr u32 kInfinity = kBf ? 0x7f80 : 0x7c00, kOne = kBf ? 0x3f80 : 0x3c00;
  if ((flags & kHalfFtz) != 0) h = flush_half<kBf>(h);
  if ((flags & kHalfSat) != 0) {
    if (is_nan(h, kInfinity) || (h & 0x8000) != 0) h = 0;
    if (h > kOne) h = kOne;
  }
  if ((flags & kHalfRelu) != 0 && !is_nan(h, kInfinity) && (h & 0x8000) != 0) h = 0;
  return h;
}

// Applies f to the low half, and to the high half when packed.
template <bool kBf, class F>
void each_half(Warp& w, const MicroOp* op, u32 mask, const F& f) {
  const u32* a = row<u32>(w, op->a);
  const u32* b = row<u32>(w, op->b);
  const u32* c = row<u32>(w, op->c);
  u32* d = row<u32>(w, op->d);
  const u32 flags = op->flags;
  const bool packed = (flags & kHalfPacked) != 0, ftz = (flags & kHalfFtz) != 0;
  const auto input = [&](u32 v, int shift) {
    const u32 h = v >> shift & 0xffff;
    return ftz ? flush_half<kBf>(h) : h;
  };
#pragma GCC ivdep
  for (int i = 0; i < kLanes; ++i) {
    u32 r = finish<kBf>(flags, f(input(a[i], 0), input(b[i], 0), input(c[i], 0)));
    if (packed) {
      r |= finish<kBf>(flags, f(input(a[i], 16), input(b[i], 16), input(c[i], 16))) << 16;
    }
    d[i] = (mask & kLaneBit[i]) != 0 ? r : d[i];
  }
}

template <bool kBf>
void arith(Warp& w, const MicroOp* op, u32 mask) {
  switch (op->flags >> kHalfOpShift) {
    case 0:
      return each_half<kBf>(w, op, mask, [](u32 a, u32 b, u32) {
        return narrow<kBf>(widen<kBf>(a) + widen<kBf>(b));
      });
    case 1:
      return each_half<kBf>(w, op, mask, [](u32 a, u32 b, u32) {
        return narrow<kBf>(widen<kBf>(a) - widen<kBf>(b));
      });
    default:
      return each_half<kBf>(w, op, mask, [](u32 a, u32 b, u32) {
        return narrow<kBf>(widen<kBf>(a) * widen<kBf>(b));
      });
  }
}

template <bool kBf>
void fma(Warp& w, const MicroOp* op, u32 mask) {
  each_half<kBf>(w, op, mask, [](u32 a, u32 b, u32 c) {
    const f64 product = f64{widen<kBf>(a)} * f64{widen<kBf>(b)};
    return narrow<kBf>(static_cast<f32>(fma_to_odd(product, f64{widen<kBf>(c)})));
  });
}

// Orders halves as integers: negative ones reversed, so that -0 < +0.
inline s32 order_key(u32 h) {
  const s32 v = static_cast<s16>(h);
  return v < 0 ? v ^ 0x7fff : v;
}

template <bool kBf>
void minmax(Warp& w, const MicroOp* op, u32 mask) {
  constexpr u32 kInfinity = kBf ? 0x7f80 : 0x7c00;
  const bool greatest = (op->flags >> kHalfOpShift) != 0;
  const bool keep_nan = (op->flags & kHalfNan) != 0, xor_sign = (op->flags & kHalfXorSign) != 0;
  each_half<kBf>(w, op, mask, [=](u32 a, u32 b, u32) -> u32 {
    const u32 sign = (a ^ b) & 0x8000;
    if (xor_sign) a &= 0x7fff, b &= 0x7fff;
    const bool a_nan = is_nan(a, kInfinity), b_nan = is_nan(b, kInfinity);
    if ((a_nan && b_nan) || (keep_nan && (a_nan || b_nan))) return 0x7fff;
    const bool a_first = (order_key(a) < order_key(b)) != greatest;
    const u32 r = a_nan ? b : b_nan ? a : a_first ? a : b;
    return xor_sign ? (r & 0x7fff) | sign : r;
  });
}

// The approximate functions of the hardware cut their results off instead of rounding them.
template <bool kBf>
inline f32 cut(f64 exact) {
  const f64 v = static_cast<f32>(exact);
  constexpr u64 kDropped = (u64{1} << (kBf ? 45 : 42)) - 1;
  return static_cast<f32>(from_bits(bits(v) & ~kDropped));
}

// operation: 0 neg, 1 abs, 2 ex2, 3 tanh
template <bool kBf>
void unary(Warp& w, const MicroOp* op, u32 mask) {
  constexpr u32 kInfinity = kBf ? 0x7f80 : 0x7c00;
  const u32 operation = op->flags >> kHalfOpShift;
  each_half<kBf>(w, op, mask, [=](u32 a, u32, u32) -> u32 {
    switch (operation) {
      case 0:
        return is_nan(a, kInfinity) ? 0x7fff : a ^ 0x8000;
      case 1:
        return is_nan(a, kInfinity) ? 0x7fff : a & 0x7fff;
      case 2:
        return narrow<kBf>(cut<kBf>(std::exp2(f64{widen<kBf>(a)})));
      default:
        return narrow<kBf>(cut<kBf>(std::tanh(f64{widen<kBf>(a)})));
    }
  });
}

using Body = void (*)(Warp&, const MicroOp*, u32);
template <Body kHalf, Body kBfloat>
const MicroOp* either(Warp& w, const MicroOp* op, u32 mask) {
  if ((op->flags & kHalfBfloat) != 0) {
    kBfloat(w, op, mask);
  } else {
    kHalf(w, op, mask);
  }
  return op + 1;
}

}  // namespace

void fill_half(Table& t) {
  bind_handler(t, Micro::arith_half, &either<arith<false>, arith<true>>);
  bind_handler(t, Micro::fma_half, &either<fma<false>, fma<true>>);
  bind_handler(t, Micro::minmax_half, &either<minmax<false>, minmax<true>>);
  bind_handler(t, Micro::unary_half, &either<unary<false>, unary<true>>);
}

}  // namespace tcd::emu::TCD_ISA_NAMESPACE
