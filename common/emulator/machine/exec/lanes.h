// Rows as arrays of lanes, and the loops every elementwise instruction is made of.
//
// The files of this folder are compiled once per instruction set (TCD_ISA_NAMESPACE names the
// copy). An instruction is a lambda on one lane; `bind` makes its two handlers. The compiler
// vectorises the loop: `ivdep` is sound because a destination row equals a source row or lies
// apart from it, never shifted.
#pragma once

#ifndef TCD_ISA_NAMESPACE
#error "compile with -DTCD_ISA_NAMESPACE=isa_sse2, isa_avx2 or isa_avx512"
#endif

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "machine/code.h"
#include "machine/each_lane.h"
#include "machine/micro_list.h"
#include "machine/micro_op.h"
#include "machine/warp.h"

namespace tcd::emu::TCD_ISA_NAMESPACE {

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
using s8 = int8_t;
using s16 = int16_t;
using s32 = int32_t;
using s64 = int64_t;
using f32 = float;
using f64 = double;

template <class T>
inline T* row(Warp& w, u32 offset) {
  return reinterpret_cast<T*>(__builtin_assume_aligned(w.regs + offset, 64));
}

inline u32& predicate(Warp& w, u32 offset) { return *reinterpret_cast<u32*>(w.regs + offset); }

inline u32 guard_of(Warp& w, const MicroOp* op) { return predicate(w, op->guard) ^ op->guard_flip; }

inline void write_predicate(Warp& w, u32 offset, u32 bits, u32 mask) {
  u32& p = predicate(w, offset);
  p = (p & ~mask) | (bits & mask);
}

alignas(64) inline constexpr u32 kLaneBit[kLanes] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
    1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
    1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
    1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};

inline bool in_mask(u32 mask, int lane) { return (mask & kLaneBit[lane]) != 0; }

// Bit i of the result is the sign bit of lane i.
inline u32 pack_bits(const Row& bits) {
#if defined(__AVX512F__)
  const u32 low = _mm512_cmplt_epi32_mask(_mm512_load_si512(bits.lane), _mm512_setzero_si512());
  const u32 high =
      _mm512_cmplt_epi32_mask(_mm512_load_si512(bits.lane + 16), _mm512_setzero_si512());
  return low | high << 16;
#elif defined(__AVX2__)
  u32 packed = 0;
  for (int i = 0; i < kLanes; i += 8) {
    const __m256 v = _mm256_load_ps(reinterpret_cast<const float*>(bits.lane + i));
    packed |= static_cast<u32>(_mm256_movemask_ps(v)) << i;
  }
  return packed;
#else
  u32 packed = 0;
  for (int i = 0; i < kLanes; i += 4) {
    const __m128 v = _mm_load_ps(reinterpret_cast<const float*>(bits.lane + i));
    packed |= static_cast<u32>(_mm_movemask_ps(v)) << i;
  }
  return packed;
#endif
}

inline u32 low16(u32 v) { return v & 0xffff; }

// What a lambda may ask of the instruction besides its operands: make it the first parameter.
struct Imm {
  s64 imm;
  u32 flags;
};

struct Table {
  HandlerPair* entries;
  void set(Micro micro, Handler full, Handler masked) {
    entries[static_cast<int>(micro)] = {full, masked};
  }
};

// setp: `p|q = (a cmp b) op c`. flags 0: plain. 1 and, 2 or, 3 xor; bit 2: c is negated;
// extra: offset of q, 0 for none (PTX ISA 9.7.5, setp).
inline void write_set(Warp& w, const MicroOp* op, u32 bits, u32 mask) {
  if (__builtin_expect(op->flags == 0 && op->extra == 0, 1)) {
    write_predicate(w, op->d, bits, mask);
    return;
  }
  const u32 c = predicate(w, op->c) ^ ((op->flags & 4) != 0 ? kAllLanes : 0);
  const auto combine = [&](u32 r) {
    switch (op->flags & 3) {
      case 1:
        return r & c;
      case 2:
        return r | c;
      case 3:
        return r ^ c;
      default:
        return r;
    }
  };
  write_predicate(w, op->d, combine(bits), mask);
  if (op->extra != 0) write_predicate(w, op->extra, combine(~bits), mask);
}

template <class F>
struct Signature : Signature<decltype(&F::operator())> {};
template <class C, class R, class... A>
struct Signature<R (C::*)(A...) const> {
  using Result = R;
  static constexpr bool kTakesImm = false;
};
template <class C, class R, class... A>
struct Signature<R (C::*)(Imm, A...) const> {
  using Result = R;
  static constexpr bool kTakesImm = true;
};

template <class F, class R, class... S>
struct Map {
  static_assert(sizeof...(S) >= 1 && sizeof...(S) <= 4);

  template <class... L>
  static R apply(Imm imm, L... lane) {
    if constexpr (Signature<F>::kTakesImm) {
      return F{}(imm, lane...);
    } else {
      return F{}(lane...);
    }
  }

  template <class A>
  static void loop(Warp& w, const MicroOp* op, u32 mask, bool full, const A& at) {
    const Imm imm{op->imm, op->flags};
    if constexpr (std::is_same_v<R, bool>) {
      Row bits;
#pragma GCC ivdep
      for (int i = 0; i < kLanes; ++i) bits.lane[i] = at(imm, i) ? kAllLanes : 0;
      write_set(w, op, pack_bits(bits), mask);
    } else {
      R* d = row<R>(w, op->d);
      if (full) {
#pragma GCC ivdep
        for (int i = 0; i < kLanes; ++i) d[i] = at(imm, i);
      } else {
#pragma GCC ivdep
        for (int i = 0; i < kLanes; ++i) d[i] = (mask & kLaneBit[i]) != 0 ? at(imm, i) : d[i];
      }
    }
  }

  template <bool kFull>
  static const MicroOp* run(Warp& w, const MicroOp* op, u32 mask) {
    if constexpr (!kFull) {
      if (mask == kAllLanes) return run<true>(w, op, mask);
    }
    dispatch<kFull, S...>(w, op, mask);
    return op + 1;
  }

  template <bool kFull, class A>
  static void dispatch(Warp& w, const MicroOp* op, u32 mask) {
    const A* a = row<A>(w, op->a);
    loop(w, op, mask, kFull, [=](Imm imm, int i) { return apply(imm, a[i]); });
  }
  template <bool kFull, class A, class B>
  static void dispatch(Warp& w, const MicroOp* op, u32 mask) {
    const A* a = row<A>(w, op->a);
    const B* b = row<B>(w, op->b);
    loop(w, op, mask, kFull, [=](Imm imm, int i) { return apply(imm, a[i], b[i]); });
  }
  template <bool kFull, class A, class B, class C>
  static void dispatch(Warp& w, const MicroOp* op, u32 mask) {
    const A* a = row<A>(w, op->a);
    const B* b = row<B>(w, op->b);
    const C* c = row<C>(w, op->c);
    loop(w, op, mask, kFull, [=](Imm imm, int i) { return apply(imm, a[i], b[i], c[i]); });
  }
  template <bool kFull, class A, class B, class C, class D>
  static void dispatch(Warp& w, const MicroOp* op, u32 mask) {
    const A* a = row<A>(w, op->a);
    const B* b = row<B>(w, op->b);
    const C* c = row<C>(w, op->c);
    const D* e = row<D>(w, op->extra);
    loop(w, op, mask, kFull, [=](Imm imm, int i) { return apply(imm, a[i], b[i], c[i], e[i]); });
  }
};

template <class F, class R, class... S>
void bind_signature(Table& table, Micro micro, R (F::*)(S...) const) {
  using M = Map<F, R, S...>;
  table.set(micro, &M::template run<true>, &M::template run<false>);
}
template <class F, class R, class... S>
void bind_signature(Table& table, Micro micro, R (F::*)(Imm, S...) const) {
  using M = Map<F, R, S...>;
  table.set(micro, &M::template run<true>, &M::template run<false>);
}

// bind(table, Micro::kAdd, [](u32 a, u32 b) { return a + b; }): parameter types give the rows'
// element types (4 or 8 bytes), a bool result writes a predicate.
template <class F>
void bind(Table& table, Micro micro, F) {
  bind_signature<F>(table, micro, &F::operator());
}

// Handlers that treat all masks alike.
inline void bind_handler(Table& table, Micro micro, Handler handler) {
  table.set(micro, handler, handler);
}

void fill_integer(Table& table);
void fill_integer_wide(Table& table);
void fill_logic(Table& table);
void fill_compare(Table& table);
void fill_f32(Table& table);
void fill_f64(Table& table);
void fill_half(Table& table);
void fill_convert(Table& table);
void fill_convert_any(Table& table);
void fill_load(Table& table);
void fill_store(Table& table);
void fill_atomic(Table& table);
void fill_async(Table& table);
void fill_warp(Table& table);
void fill_matrix(Table& table);
void fill_wmma(Table& table);
void fill_mbarrier(Table& table);
void fill_video(Table& table);

}  // namespace tcd::emu::TCD_ISA_NAMESPACE
