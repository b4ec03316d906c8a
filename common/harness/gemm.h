// The one signature every GEMM day implements.
#pragma once

#include <cuda_fp16.h>

namespace tcd {

// D (M×N) = A (M×K, f16, row-major) × B (K×N, f16), D row-major. Leading dimensions count elements;
// rows of A and lines of B start on 16-byte boundaries. The order of B and the type of D are the
// day's: row-major and float on Days 01–02, column-major and half from Day 03 on.
template <typename Output>
struct GemmArguments {
  int m, n, k;
  const __half* a;
  int lda;
  const __half* b;
  int ldb;
  Output* d;
  int ldd;
};

// What a kernel was built for: M, N, K must be multiples of the CTA tile.
struct GemmShape {
  int cta_m, cta_n, cta_k;
  int threads;
  const void* kernel;  // for cudaFuncGetAttributes
};

}  // namespace tcd
