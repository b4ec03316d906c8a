// What Day 07 is held against: bias and ReLU as a kernel of their own, over the stored D.
#pragma once

#include "day.h"

namespace day {

// A thread takes 16 bytes of a row, where they are, and the same columns of the rows below: the
// bias is loaded once. Rows of D start on 16-byte boundaries and N is a multiple of 8.
constexpr int kSeparateThreads = 128, kSeparateRows = 32;

template <typename Element, int kCount>
struct alignas(16) Chunk {
  Element values[kCount];
};

template <Epilogue kEpilogue, typename Output>
__global__ void epilogue_kernel(GemmArguments<Output> gemm) {
  constexpr int kEach = 16 / sizeof(Output);
  const int column = (blockIdx.x * kSeparateThreads + threadIdx.x) * kEach;
  if (column >= gemm.n) return;
  const auto bias = *reinterpret_cast<const Chunk<float, kEach>*>(gemm.bias + column);
  const int first = blockIdx.y * kSeparateRows;
#pragma unroll 4
  for (int row = first; row < min(first + kSeparateRows, gemm.m); ++row) {
    auto* at = reinterpret_cast<Chunk<Output, kEach>*>(gemm.d + size_t(row) * gemm.ldd + column);
    Chunk<Output, kEach> chunk = *at;
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      chunk.values[i] = Output(finish<kEpilogue>(float(chunk.values[i]), bias.values[i]));
    }
    *at = chunk;
  }
}

template <Epilogue kEpilogue, typename Output>
void launch_epilogue(const GemmArguments<Output>& gemm) {
  const auto over = [](int size, int each) { return (size + each - 1) / each; };
  const int chunks = over(gemm.n, 16 / sizeof(Output));
  const dim3 blocks(over(chunks, kSeparateThreads), over(gemm.m, kSeparateRows));
  epilogue_kernel<kEpilogue, Output><<<blocks, kSeparateThreads>>>(gemm);
}

}  // namespace day
