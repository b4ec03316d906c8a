// atom, red (PTX ISA 9.7.13). Lanes take their turns in ascending order; between host threads the
// host's own atomic instructions keep each one whole.
#include "machine/convert.h"
#include "machine/exec/address.h"
#include "machine/exec/float_rules.h"

namespace tcd::emu::TCD_ISA_NAMESPACE {
namespace {

// What a lane's operation makes of the old value, on raw bits of 2, 4 or 8 bytes.
struct Operation {
  Atomic what;
  Number type;
  bool packed;
};

template <class T>
T combine_integer(Atomic what, T old, T b) {
  switch (what) {
    case Atomic::kAdd:
      return static_cast<T>(old + b);
    case Atomic::kMin:
      return b < old ? b : old;
    case Atomic::kMax:
      return b > old ? b : old;
    case Atomic::kInc:
      return old >= b ? T{0} : static_cast<T>(old + 1);
    case Atomic::kDec:
      return old == 0 || old > b ? b : static_cast<T>(old - 1);
    case Atomic::kAnd:
      return old & b;
    case Atomic::kOr:
      return old | b;
    case Atomic::kXor:
      return old ^ b;
    default:
      return b;
  }
}

u32 combine_half(Atomic what, bool bf, u32 old, u32 b) {
  const f32 x = bf ? bfloat_to_float(old) : half_to_float(old);
  const f32 y = bf ? bfloat_to_float(b) : half_to_float(b);
  if (what == Atomic::kExch) return b;
  const f32 r = what == Atomic::kAdd                ? x + y
                : x != x                            ? y
                : y != y                            ? x
                : (what == Atomic::kMin) == (y < x) ? y
                                                    : x;
  return bf ? float_to_bfloat(r) : float_to_half(r);
}

u64 combine(const Operation& o, u64 old, u64 b) {
  const bool bf = o.type == Number::kBf16;
  switch (o.type) {
    case Number::kS32:
      return static_cast<u32>(combine_integer(o.what, static_cast<s32>(static_cast<u32>(old)),
                                              static_cast<s32>(static_cast<u32>(b))));
    case Number::kS64:
      return static_cast<u64>(combine_integer(o.what, static_cast<s64>(old), static_cast<s64>(b)));
    case Number::kU64:
      return combine_integer(o.what, old, b);
    case Number::kF32:
      return o.what == Atomic::kAdd ? bits(canonical(from_bits(static_cast<u32>(old)) +
                                                     from_bits(static_cast<u32>(b))))
                                    : static_cast<u32>(b);
    case Number::kF64:
      return o.what == Atomic::kAdd ? bits(canonical(from_bits(old) + from_bits(b))) : b;
    case Number::kF16:
    case Number::kBf16: {
      const u32 x = static_cast<u32>(old), y = static_cast<u32>(b);
      const u32 low = combine_half(o.what, bf, x & 0xffff, y & 0xffff);
      return o.packed ? combine_half(o.what, bf, x >> 16, y >> 16) << 16 | low : low;
    }
    case Number::kU16:
      return static_cast<u16>(b);
    default:
      return combine_integer(o.what, static_cast<u32>(old), static_cast<u32>(b));
  }
}

template <class T>
u64 update(std::byte* at, const Operation& o, u64 b, u64 c) {
  T* p = reinterpret_cast<T*>(at);
  T old = __atomic_load_n(p, __ATOMIC_SEQ_CST);
  for (;;) {
    T next;
    if (o.what == Atomic::kCas) {
      if (old != static_cast<T>(b)) return old;
      next = static_cast<T>(c);
    } else {
      next = static_cast<T>(combine(o, old, b));
    }
    if (__atomic_compare_exchange_n(p, &old, next, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
      return old;
    }
  }
}

u64 read(Warp& w, u32 offset, u32 bytes, int lane) {
  return bytes == 8 ? row<u64>(w, offset)[lane] : row<u32>(w, offset)[lane];
}

void write(Warp& w, u32 offset, u32 bytes, int lane, u64 v) {
  if (bytes == 8) {
    row<u64>(w, offset)[lane] = v;
  } else {
    row<u32>(w, offset)[lane] = static_cast<u32>(v);
  }
}

// b: the operand, or the value compared with; c: what cas stores. Vectors (red.v4.f32) keep their
// operands in pool[extra…] and their results in pool[extra + count…].
template <bool kShared>
const MicroOp* atom(Warp& w, const MicroOp* op, u32 mask) {
  const u32 variant = op->flags >> kAtomicShift, count = op->flags & kVectorMask;
  const Operation o{static_cast<Atomic>(variant & 15), static_cast<Number>(variant >> 4 & 15),
                    (variant >> 8 & 1) != 0};
  const u32 bytes = o.packed ? 4 : bytes_of(o.type);
  Pointers p;
  if constexpr (kShared) {
    resolve_shared(w, op, mask, bytes * count, AccessKind::kAtomic, p);
  } else {
    resolve_global(w, op, mask, bytes * count, AccessKind::kAtomic, p);
  }
  ++w.counters->atomics;
  const bool result = (op->flags & kNoResult) == 0;
  const int first = std::countr_zero(mask);
  const u64 before = result && count == 1 ? read(w, op->d, bytes, first) : 0;
  each_lane(mask, [&](int i) {
    for (u32 k = 0; k < count; ++k) {
      std::byte* at = p.at(i, bytes * count) + k * bytes;
      const u64 b = read(w, count == 1 ? op->b : w.pool[op->extra + k], bytes, i);
      const u64 c = o.what == Atomic::kCas ? read(w, op->c, bytes, i) : 0;
      const u64 old = bytes == 8   ? update<u64>(at, o, b, c)
                      : bytes == 4 ? update<u32>(at, o, b, c)
                                   : update<u16>(at, o, b, c);
      if (result) write(w, count == 1 ? op->d : w.pool[op->extra + count + k], bytes, i, old);
    }
  });
  if (!kShared && result) note_taken(w, op, mask);
  if (result && count == 1) w.idle_polls += read(w, op->d, bytes, first) == before;
  return op + 1;
}

}  // namespace

void fill_atomic(Table& t) {
  bind_handler(t, Micro::atom_global, &atom<false>);
  bind_handler(t, Micro::atom_shared, &atom<true>);
}

}  // namespace tcd::emu::TCD_ISA_NAMESPACE
