// Tensor core instructions on rows: shapes and fragment layouts apart from arithmetic.
//
// A fragment operand is an array of rows in PTX register order (PTX ISA 9.7.14, "Matrix
// Fragments"): for m16n8k8 .f16 A is 2 rows of f16x2, B 1 row, C and D 4 rows of f32 (or 2 of
// f16x2). d may alias c.
#pragma once

#include "profiles/profile.h"
#include "tensor/row.h"

namespace tcd::emu {

void mma_m16n8k8_f32_f16(const TensorNumerics& numerics, const Row a[2], const Row b[1],
                         const Row c[4], Row d[4]);
void mma_m16n8k16_f32_f16(const TensorNumerics& numerics, const Row a[4], const Row b[2],
                          const Row c[4], Row d[4]);
void mma_m16n8k8_f16_f16(const TensorNumerics& numerics, const Row a[2], const Row b[1],
                         const Row c[2], Row d[2]);
void mma_m16n8k16_f16_f16(const TensorNumerics& numerics, const Row a[4], const Row b[2],
                          const Row c[2], Row d[2]);

}  // namespace tcd::emu
