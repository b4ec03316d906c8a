// mma.sync on operands of 8 bits: INT8 and FP8 (e4m3).
//
// A row of 32 bytes lies in registers as a row of 16 halves does: the tables of m16n8k16, with two
// elements where that has one. So ldmatrix, which moves bytes, loads the fragments of both.
#pragma once

#include <cstdint>

namespace tcd::ptx {

// D (16×8, s32) += A (16×32, s8, row) × B (32×8, s8, column). Exact: sums wrap around at 2³¹.
// PTX ISA 9.0, 9.7.14.5.14 (mma). Requires sm_80.
__device__ inline void mma_m16n8k32_s8(int32_t (&d)[4], const uint32_t (&a)[4],
                                       const uint32_t (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// D (16×8, f32) += A (16×32, e4m3, row) × B (32×8, e4m3, column). The chip adds in about 14 bits,
// not in 24. Requires sm_89: below it this does nothing, and callers do not launch it. sm_90 has no
// such instruction either; its compiler unpacks to FP16 and issues those.
__device__ inline void mma_m16n8k32_e4m3([[maybe_unused]] float (&d)[4],
                                         [[maybe_unused]] const uint32_t (&a)[4],
                                         [[maybe_unused]] const uint32_t (&b)[2]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
}

}  // namespace tcd::ptx
