// Two sums of neighbouring columns, stored by one instruction. A lane of the accumulator fragment
// holds them side by side, so a warp's store covers 8 rows of 8 columns: 8 rows of 32 bytes in
// f32, of 16 bytes in f16.
#pragma once

#include <cuda_fp16.h>

namespace tcd::ptx {

// st.global.v2.f32. `to` is 8-byte aligned. PTX ISA 9.0, 9.7.9 (st).
__device__ inline void store_pair(float* to, float x, float y) {
  *reinterpret_cast<float2*>(to) = make_float2(x, y);
}

// cvt.rn.f16x2.f32, then st.global.b32: each sum is rounded once, to nearest even.
// `to` is 4-byte aligned. PTX ISA 9.0, 9.7.9 (cvt).
__device__ inline void store_pair(half* to, float x, float y) {
  *reinterpret_cast<half2*>(to) = __floats2half2_rn(x, y);
}

}  // namespace tcd::ptx
