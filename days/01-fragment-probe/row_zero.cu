// The ladder's row zero: a tiled FP32 matmul on CUDA cores, no tensor core anywhere.
//
// 64×64 tile per CTA, 16 deep, 4×4 outputs a thread: what a careful programmer writes before
// hearing of fragments. It is the figure the tensor core has to beat.
#include "day.h"

namespace day {

namespace {

constexpr int kTile = 64, kDepth = 16, kOutputs = 4;
constexpr int kThreads = (kTile / kOutputs) * (kTile / kOutputs);
static_assert(kTile * kDepth / 4 == kThreads, "each thread copies one float4 of A and one of B");

__global__ void __launch_bounds__(kThreads) row_zero_kernel(Fp32Arguments gemm) {
  __shared__ float a[kDepth][kTile + 4];  // A transposed, so that both reads below are float4
  __shared__ float b[kDepth][kTile];
  const int tile_row = blockIdx.y * kTile, tile_column = blockIdx.x * kTile;
  const int row = threadIdx.x / (kTile / kOutputs) * kOutputs;
  const int column = threadIdx.x % (kTile / kOutputs) * kOutputs;
  const int row_a = threadIdx.x / (kDepth / 4), depth_a = threadIdx.x % (kDepth / 4) * 4;
  const int depth_b = threadIdx.x / (kTile / 4), column_b = threadIdx.x % (kTile / 4) * 4;
  float d[kOutputs][kOutputs] = {};
  for (int k0 = 0; k0 < gemm.k; k0 += kDepth) {
    const float4 from_a =
        *reinterpret_cast<const float4*>(&gemm.a[size_t(tile_row + row_a) * gemm.k + k0 + depth_a]);
    a[depth_a + 0][row_a] = from_a.x;
    a[depth_a + 1][row_a] = from_a.y;
    a[depth_a + 2][row_a] = from_a.z;
    a[depth_a + 3][row_a] = from_a.w;
    *reinterpret_cast<float4*>(&b[depth_b][column_b]) = *reinterpret_cast<const float4*>(
        &gemm.b[size_t(k0 + depth_b) * gemm.n + tile_column + column_b]);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kDepth; ++k) {
      const float4 x = *reinterpret_cast<const float4*>(&a[k][row]);
      const float4 y = *reinterpret_cast<const float4*>(&b[k][column]);
      const float left[kOutputs] = {x.x, x.y, x.z, x.w};
      const float right[kOutputs] = {y.x, y.y, y.z, y.w};
#pragma unroll
      for (int i = 0; i < kOutputs; ++i) {
#pragma unroll
        for (int j = 0; j < kOutputs; ++j) d[i][j] += left[i] * right[j];
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < kOutputs; ++i) {
    *reinterpret_cast<float4*>(
        &gemm.d[size_t(tile_row + row + i) * gemm.n + tile_column + column]) =
        make_float4(d[i][0], d[i][1], d[i][2], d[i][3]);
  }
}

}  // namespace

void launch_row_zero(const Fp32Arguments& gemm) {
  row_zero_kernel<<<dim3(gemm.n / kTile, gemm.m / kTile), kThreads>>>(gemm);
}

const tcd::GemmShape kRowZeroShape = {kTile, kTile, kDepth, kThreads,
                                      reinterpret_cast<const void*>(&row_zero_kernel)};

}  // namespace day
