// wmma.mma on fragments: mma.m16n8k16 twice (the layouts in wmma_layout.h say why that is all).
#pragma once

#include "profiles/profile.h"
#include "tensor/row.h"
#include "tensor/wmma_layout.h"

namespace tcd::emu {

// d = a * b + c (PTX ISA 9.7.14.4, wmma.mma, .f16 inputs). a, b: 8 rows each, as wmma.load fills
// them. c, d: 8 rows of f32, or 4 of f16x2 where half_c or half_d says so. d may alias c when both
// have the same type. With mixed types the hardware converts around an f32 multiplication, which is
// what ptxas emits for sm_75 to sm_90.
void wmma_mma(const TensorNumerics& numerics, WmmaShape shape, bool half_d, bool half_c,
              const Row a[8], const Row b[8], const Row* c, Row* d);

// The same for other inputs, c, d: 8 rows. bf16 and bytes are mma.m16n8k16 twice. tf32 is m16n8k4
// four times, k 0-3 and then 4-7: that is what ptxas makes of it, and on an H200 it rounds once
// more than m16n8k8 does.
void wmma_mma_bf16(const TensorNumerics& numerics, WmmaShape shape, const Row* a, const Row* b,
                   const Row c[8], Row d[8]);
void wmma_mma_tf32(const TensorNumerics& numerics, const Row a[4], const Row b[4], const Row c[8],
                   Row d[8]);
void wmma_mma_s8(bool is_signed, bool saturate, WmmaShape shape, const Row* a, const Row* b,
                 const Row c[8], Row d[8]);

}  // namespace tcd::emu
