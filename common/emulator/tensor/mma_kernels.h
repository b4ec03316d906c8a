// Inside the tensor core: floating-point mma in three steps, so that a fragment used by several mma
// is decoded once (the interpreter keeps PreparedA and PreparedB; see fragment_cache.h).
//
//   prepare_a, prepare_b   registers -> FP32 values, largest magnitude, least set bit
//   multiply_proven        when nothing can be truncated: plain FP32 arithmetic, same bits
//   multiply_general       the chip's alignment, truncation and rounding, element by element
//
// The chip's step (source: hardware-vectors README, Khattak and Mikaitis, arXiv 2512.07004): every
// product keeps its exact significand with exponent e_a + e_b (-14 for subnormal inputs), all terms
// are cut to F fraction bits below the largest exponent, added as integers, normalised and rounded
// once (FP32 toward zero, FP16 to nearest even). A result of zero is +0, also where a negative sum
// rounds to it. On an H200 the largest exponent counts as at least the result format's least normal
// one minus 7 (-133, -21): with a zero C, sums of tiny products lose bits earlier.
//
// The proof. Let every product and every element of C be a multiple of 2^q, and let the magnitudes
// of one element's terms sum to less than 2^(q+24). Then every partial sum is a multiple of 2^q
// below 2^(q+24): FP32 holds it, so FP32 additions are exact in any order. The largest exponent E
// is at most q + 23, so bits below 2^(E-24), hence below 2^q, are all that F >= 24 drops: there are
// none. (The floor drops bits below 2^-46 of an FP16 result's sum; the proof's room for a subnormal
// C, 2^-14 < 2^(q+23), keeps q above -37.) The chip's sum is the exact one, it fits 24 bits, and no
// rounding happens. Subnormal inputs keep exponent -14 whatever their value, so they enter the
// bound as 2^-14.
#pragma once

#include <cstdint>

#include "tensor/row.h"

namespace tcd::emu {

struct alignas(64) PreparedA {
  uint32_t raw[4][kLanes];      // the registers themselves, to recognise the fragment again
  float value[8][kLanes];       // [register * 2 + half][lane]
  int32_t exponent[8][kLanes];  // the same elements' exponents, twice in 16 bits; lazily
  float bound;                  // >= every magnitude; 2^-14 at least unless all are zero
  int32_t lowest_bit;           // every element is a multiple of 2^lowest_bit
  int32_t registers;            // 2: m16 x k8, 4: m16 x k16
  bool special;                 // holds an infinity or a NaN
  bool provable;                // finite, and lowest_bit is known
  bool in_range;                // no magnitude beyond 2^+-50: FP32 holds products and scales
  bool has_exponents;
};

struct alignas(64) PreparedB {
  uint32_t raw[2][kLanes];
  // [register * 2 + half][t][odd column?][column / 2]: k = 8 * register + 2 * t + half.
  float value[4][4][2][4];
  int32_t exponent[4][4][4];  // low 16 bits: even column, high: odd column; lazily
  float bound;
  int32_t lowest_bit;
  int32_t registers;                                // 1: k8, 2: k16
  bool special, provable, in_range, has_exponents;  // as in PreparedA
};

inline constexpr int kMinFractionBits = 13, kMaxFractionBits = 25;

// How terms are aligned: F, and the exponent below which E does not go.
struct Alignment {
  int fraction_bits;
  int floor;
  Alignment(int f, int least = -100000) : fraction_bits(f), floor(least) {}
};
inline constexpr int kLeastNormalF16 = -14, kLeastNormalF32 = -126;

struct FragmentCaches;  // fragment_cache.h

struct MmaKernels {
  const char* isa;  // "sse2", "avx2", "avx512"
  // mma of FP16 inputs, whole: [0] m16n8k8, [1] m16n8k16. d may be c, or lie apart from a, b and c.
  using MmaF16 = void (*)(FragmentCaches& caches, int chunk, Alignment alignment, const Row* a,
                          const Row* b, const Row* c, Row* d);
  MmaF16 mma_f32_f16[2], mma_f16_f16[2];
  void (*prepare_a)(const Row* a, int registers, PreparedA& out);
  void (*prepare_b)(const Row* b, int registers, PreparedB& out);
  // The same for formats that are not FP16: values[register * 2 + half][lane], in fragment order;
  // least: the exponent of the format's subnormals. Exponents are prepared at once. Without
  // in_range, multiply with tensor/slow_dot.h instead.
  void (*prepare_a_floats)(const float (*values)[kLanes], int registers, int least, PreparedA& out);
  void (*prepare_b_floats)(const float (*values)[kLanes], int registers, int least, PreparedB& out);
  // chunk: 8 or 16 products a step (rounding to FP16 between chunks is part of the result).
  // False: not proven, d untouched. c, d: 4 rows of f32, or 2 of f16x2. d may alias c.
  bool (*multiply_proven_f32)(int chunk, const PreparedA& a, const PreparedB& b, const Row* c,
                              Row* d);
  bool (*multiply_proven_f16)(int chunk, const PreparedA& a, const PreparedB& b, const Row* c,
                              Row* d);
  // fraction_bits: F, from kMinFractionBits to kMaxFractionBits.
  // The floor matters to FP16 results only: in_range keeps the others far above it.
  void (*multiply_general_f32)(int chunk, Alignment alignment, PreparedA& a, PreparedB& b,
                               const Row* c, Row* d);
  void (*multiply_general_f16)(int chunk, Alignment alignment, PreparedA& a, PreparedB& b,
                               const Row* c, Row* d);
  // One 16 x 8 accumulator from 2 rows of f16x2 to 4 of f32 and back (to nearest even).
  void (*widen_accumulator)(const Row* half, Row* out);
  void (*narrow_accumulator)(const Row* in, Row* half);
};

// The best variant this CPU runs, chosen once. TCD_ISA=sse2|avx2|avx512 in the environment
// overrides; asking for one that the CPU lacks is reported on stderr and ends in the best it has.
const MmaKernels& mma_kernels();
// For tests and benchmarks: nullptr when this CPU cannot run it.
const MmaKernels* mma_kernels(const char* isa);

}  // namespace tcd::emu
