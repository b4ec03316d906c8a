// mma.sync: one warp multiplies one tile, D = A × B + C, all operands in registers.
//
// Operands are fragments: which lane holds which element is fixed by tables, see fragments.h.
// An .f16x2 register carries the lower-numbered element in its low 16 bits.
#pragma once

#include <cstdint>

namespace tcd::ptx {

// D (16×8, f32) += A (16×8, f16, row) × B (8×8, f16, column). One instruction, 2 × 1,024 FLOP.
// a[0]: rows 0–7, a[1]: rows 8–15. `.row.col` is the only layout the shape has.
// PTX ISA 9.0, 9.7.14.5.14 (mma) and 9.7.14.5.7 (fragments). Requires sm_75.
__device__ inline void mma_m16n8k8(float (&d)[4], const uint32_t (&a)[2], const uint32_t (&b)[1]) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
      "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(b[0]));
}

// D (16×8, f32) += A (16×16, f16, row) × B (16×8, f16, column).
// a[0], a[1]: k 0–7 of rows 0–7 and 8–15; a[2], a[3]: k 8–15. b[0]: k 0–7, b[1]: k 8–15.
// PTX ISA 9.0, 9.7.14.5.14 (mma) and 9.7.14.5.8 (fragments). Requires sm_80: callers guard it
// with __CUDA_ARCH__ >= 800, because ptxas assembles a branch that never runs as well.
__device__ inline void mma_m16n8k16(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// The same two with the sums in FP16: D (16×8, f16) += A × B. d[0]: row r, two neighbouring
// columns, d[1]: row r + 8. Half the registers; every product is rounded into 11 bits. Twice the
// rate on GeForce cards, which halve FP32 accumulation. PTX ISA 9.0, 9.7.14.5.14. Requires sm_75.
__device__ inline void mma_m16n8k8(uint32_t (&d)[2], const uint32_t (&a)[2],
                                   const uint32_t (&b)[1]) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%0, %1};"
      : "+r"(d[0]), "+r"(d[1])
      : "r"(a[0]), "r"(a[1]), "r"(b[0]));
}

// Requires sm_80.
__device__ inline void mma_m16n8k16(uint32_t (&d)[2], const uint32_t (&a)[4],
                                    const uint32_t (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 "
      "{%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
      : "+r"(d[0]), "+r"(d[1])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

}  // namespace tcd::ptx
