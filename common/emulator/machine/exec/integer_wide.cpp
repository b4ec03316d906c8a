// 64-bit integer arithmetic and extended precision with a carry (PTX ISA 9.7.1, 9.7.2).
#include "machine/exec/lanes.h"

namespace tcd::emu::TCD_ISA_NAMESPACE {
namespace {

__extension__ using s128 = __int128;
__extension__ using u128 = unsigned __int128;

inline u64 mul_hi_signed(s64 a, s64 b) { return static_cast<u64>(s128{a} * b >> 64); }
inline u64 mul_hi_unsigned(u64 a, u64 b) { return static_cast<u64>(u128{a} * b >> 64); }

// The carry flag is a predicate of its own: one bit a lane at a fixed place in every frame.
// flags: bit 0 reads the carry, bit 1 writes it, bit 2 subtracts, bit 3 (mad) takes the high half,
// bit 4 (mad) signed.
template <class T>
const MicroOp* carry_add(Warp& w, const MicroOp* op, u32 mask) {
  T* d = row<T>(w, op->d);
  const T* a = row<T>(w, op->a);
  const T* b = row<T>(w, op->b);
  const u32 flags = op->flags;
  u32& cc = predicate(w, kCarryOffset);
  u32 out = cc;
  each_lane(mask, [&](int i) {
    const T in = (flags & 1) != 0 ? static_cast<T>(cc >> i & 1) : T{0};
    T sum;
    bool carry;
    if ((flags & 4) != 0) {  // the flag holds a borrow
      sum = static_cast<T>(a[i] - b[i] - in);
      carry = a[i] < b[i] || (a[i] == b[i] && in != 0);
    } else {
      const T partial = static_cast<T>(a[i] + b[i]);
      sum = static_cast<T>(partial + in);
      carry = partial < a[i] || sum < partial;
    }
    d[i] = sum;
    out = (out & ~(1u << i)) | u32{carry} << i;
  });
  if ((flags & 2) != 0) cc = out;
  return op + 1;
}

template <class T>
const MicroOp* carry_mad(Warp& w, const MicroOp* op, u32 mask) {
  T* d = row<T>(w, op->d);
  const T* a = row<T>(w, op->a);
  const T* b = row<T>(w, op->b);
  const T* c = row<T>(w, op->c);
  const u32 flags = op->flags;
  u32& cc = predicate(w, kCarryOffset);
  u32 out = cc;
  each_lane(mask, [&](int i) {
    const T in = (flags & 1) != 0 ? static_cast<T>(cc >> i & 1) : T{0};
    T product = static_cast<T>(a[i] * b[i]);
    if ((flags & 8) != 0) {
      using S = std::make_signed_t<T>;
      constexpr int kBits = 8 * sizeof(T);
      product = (flags & 16) != 0
                    ? static_cast<T>(s128{static_cast<S>(a[i])} * static_cast<S>(b[i]) >> kBits)
                    : static_cast<T>(u128{a[i]} * b[i] >> kBits);
    }
    const T partial = static_cast<T>(product + c[i]);
    const T sum = static_cast<T>(partial + in);
    d[i] = sum;
    out = (out & ~(1u << i)) | u32{partial < product || sum < partial} << i;
  });
  if ((flags & 2) != 0) cc = out;
  return op + 1;
}

}  // namespace

void fill_integer_wide(Table& t) {
  bind(t, Micro::mul_hi_s64, [](s64 a, s64 b) { return mul_hi_signed(a, b); });
  bind(t, Micro::mul_hi_u64, [](u64 a, u64 b) { return mul_hi_unsigned(a, b); });
  bind(t, Micro::mad_hi_s64, [](s64 a, s64 b, u64 c) { return mul_hi_signed(a, b) + c; });
  bind(t, Micro::mad_hi_u64, [](u64 a, u64 b, u64 c) { return mul_hi_unsigned(a, b) + c; });
  bind(t, Micro::sad_s64, [](s64 a, s64 b, u64 c) {
    const u64 x = static_cast<u64>(a), y = static_cast<u64>(b);
    return c + (a > b ? x - y : y - x);
  });
  bind(t, Micro::sad_u64, [](u64 a, u64 b, u64 c) { return c + (a > b ? a - b : b - a); });
  bind(t, Micro::div_s64, [](s64 a, s64 b) {
    if (b == 0) return ~u64{0};
    return b == -1 ? 0 - static_cast<u64>(a) : static_cast<u64>(a / b);
  });
  bind(t, Micro::div_u64, [](u64 a, u64 b) { return b == 0 ? ~u64{0} : a / b; });
  bind(t, Micro::rem_s64, [](s64 a, s64 b) { return b == 0 ? s64{-1} : b == -1 ? 0 : a % b; });
  bind(t, Micro::rem_u64, [](u64 a, u64 b) { return b == 0 ? ~u64{0} : a % b; });
  bind(t, Micro::abs_s64, [](u64 a) { return static_cast<s64>(a) < 0 ? 0 - a : a; });
  bind(t, Micro::neg_64, [](u64 a) { return 0 - a; });
  bind(t, Micro::min_s64, [](s64 a, s64 b) { return a < b ? a : b; });
  bind(t, Micro::min_u64, [](u64 a, u64 b) { return a < b ? a : b; });
  bind(t, Micro::max_s64, [](s64 a, s64 b) { return a > b ? a : b; });
  bind(t, Micro::max_u64, [](u64 a, u64 b) { return a > b ? a : b; });
  bind_handler(t, Micro::carry_add_32, &carry_add<u32>);
  bind_handler(t, Micro::carry_add_64, &carry_add<u64>);
  bind_handler(t, Micro::carry_mad_32, &carry_mad<u32>);
  bind_handler(t, Micro::carry_mad_64, &carry_mad<u64>);
}

}  // namespace tcd::emu::TCD_ISA_NAMESPACE
