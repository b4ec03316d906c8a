// Tensor core instructions on rows: shapes and fragment layouts apart from arithmetic.
//
// A fragment operand is an array of rows in PTX register order (PTX ISA 9.7.14, "Matrix
// Fragments"): for m16n8k8 .f16 A is 2 rows of f16x2, B 1 row, C and D 4 rows of f32 (or 2 of
// f16x2). d may alias c.
//
// Evidence for the arithmetic. sm_90: everything here verified on an H200, a million random tiles
// of each instruction (README.md). Elsewhere, by type:
//   f16 -> f32  verified by recording (sm_80, sm_89: 5,000 rows each); sm_75 from the literature
//   f16 -> f16  from the literature (on chips with chunks of 8, rounded to FP16 between them)
//   bf16, tf32  from the literature: as f16; TF32 sums half as many products a step
//   fp8         sm_89 from the literature (F = 13, FP32 results of 13 fraction bits); sm_90 as
//               ptxas 13.0 compiles it: unpacked to f16, C added afterwards
//   s8, u8, s4, u4  exact by definition
#pragma once

#include "profiles/profile.h"
#include "tensor/row.h"

namespace tcd::emu {

// FP16 multiplications of this host thread so far that were proven exact and took the fast path.
uint64_t& proven_multiplications();

void mma_m16n8k8_f32_f16(const TensorNumerics& numerics, const Row a[2], const Row b[1],
                         const Row c[4], Row d[4]);
void mma_m16n8k16_f32_f16(const TensorNumerics& numerics, const Row a[4], const Row b[2],
                          const Row c[4], Row d[4]);
void mma_m16n8k8_f16_f16(const TensorNumerics& numerics, const Row a[2], const Row b[1],
                         const Row c[2], Row d[2]);
void mma_m16n8k16_f16_f16(const TensorNumerics& numerics, const Row a[4], const Row b[2],
                          const Row c[2], Row d[2]);

// BF16 (sm_80): bf16x2 registers, laid out as f16.
void mma_m16n8k8_f32_bf16(const TensorNumerics& numerics, const Row a[2], const Row b[1],
                          const Row c[4], Row d[4]);
void mma_m16n8k16_f32_bf16(const TensorNumerics& numerics, const Row a[4], const Row b[2],
                           const Row c[4], Row d[4]);

// TF32 (sm_80): one FP32 pattern a register, its 13 low bits ignored. Register r of A holds row
// group + 8 * (r % 2), column in_group + 4 * (r / 2); register r of B row in_group + 4 * r.
void mma_m16n8k4_f32_tf32(const TensorNumerics& numerics, const Row a[2], const Row b[1],
                          const Row c[4], Row d[4]);
void mma_m16n8k8_f32_tf32(const TensorNumerics& numerics, const Row a[4], const Row b[2],
                          const Row c[4], Row d[4]);

// FP8 (sm_89): four consecutive k a register. Register r of A holds row group + 8 * (r % 2),
// columns 4 * in_group + 16 * (r / 2) and the next three; register r of B rows 4 * in_group + 16 *
// r.
enum class Fp8 { kE4m3, kE5m2 };
void mma_m16n8k16_f32_fp8(const TensorNumerics& numerics, Fp8 a_type, Fp8 b_type, const Row a[2],
                          const Row b[1], const Row c[4], Row d[4]);
void mma_m16n8k32_f32_fp8(const TensorNumerics& numerics, Fp8 a_type, Fp8 b_type, const Row a[4],
                          const Row b[2], const Row c[4], Row d[4]);
void mma_m16n8k16_f16_fp8(const TensorNumerics& numerics, Fp8 a_type, Fp8 b_type, const Row a[2],
                          const Row b[1], const Row c[2], Row d[2]);
void mma_m16n8k32_f16_fp8(const TensorNumerics& numerics, Fp8 a_type, Fp8 b_type, const Row a[4],
                          const Row b[2], const Row c[2], Row d[2]);

// Integers, s32 accumulators. Registers hold 32 / bits consecutive k, laid out as FP8's words.
// 8 bits: m8n8k16 (sm_75), m16n8k16, m16n8k32 (sm_80). 4 bits: m8n8k32 (sm_75), m16n8k32,
// m16n8k64 (sm_80).
struct IntegerMma {
  int m;  // 8: A is one register, C and D two (row group, columns 2 * in_group and the next)
  int k;
  int bits;  // 8 or 4
  bool a_signed, b_signed;
  bool saturate;  // .satfinite: clamp the exact sum instead of wrapping it
};
void mma_s32(const IntegerMma& shape, const Row* a, const Row* b, const Row* c, Row* d);

}  // namespace tcd::emu
