// What a GEMM submission is handed. The sums are stored as they are, in f32: rounding them to half
// would hide small errors from the gate.
#pragma once

#include <cuda_fp16.h>

namespace tcd {

// D (M×N, row-major) = A (M×K, row-major) × B (K×N; row- or column-major, the exercise says which).
// Leading dimensions count elements, and are larger than the row.
struct GemmArguments {
  int m, n, k;
  const half* a;
  int lda;
  const half* b;
  int ldb;
  float* d;
  int ldd;
  const float* bias;  // one a column; null where an exercise has none
};

}  // namespace tcd
