// A tensor core GEMM as Day 01 has it: 64×64×32 tiles, fragments loaded half by half, m16n8k8.
// hgemm.ptx is what nvcc 13.0 makes of it (-arch=sm_80).
#include <cuda_fp16.h>

extern "C" __global__ void __launch_bounds__(256)
    hgemm(const half* a, const half* b, float* c, int n) {
  __shared__ half ta[64 * 40], tb[32 * 72];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32, group = lane / 4, in = lane % 4;
  const int row = blockIdx.y * 64, col = blockIdx.x * 64;
  const int wr = warp / 2 * 16, wc = warp % 2 * 32;
  float acc[4][4] = {};
  for (int k0 = 0; k0 < n; k0 += 32) {
    *reinterpret_cast<uint4*>(&ta[t / 4 * 40 + t % 4 * 8]) =
        *reinterpret_cast<const uint4*>(a + size_t(row + t / 4) * n + k0 + t % 4 * 8);
    *reinterpret_cast<uint4*>(&tb[t / 8 * 72 + t % 8 * 8]) =
        *reinterpret_cast<const uint4*>(b + size_t(k0 + t / 8) * n + col + t % 8 * 8);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 32; k += 8) {
      const half* top = &ta[(wr + group) * 40 + k + in * 2];
      const unsigned a0 = *reinterpret_cast<const unsigned*>(top);
      const unsigned a1 = *reinterpret_cast<const unsigned*>(top + 8 * 40);
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const half* first = &tb[(k + in * 2) * 72 + wc + j * 8 + group];
        const unsigned b0 =
            unsigned(__half_as_ushort(first[0])) | unsigned(__half_as_ushort(first[72])) << 16;
        float* d = acc[j];
        asm volatile(
            "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
            "{%0,%1,%2,%3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(a0), "r"(a1), "r"(b0));
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    float* out = c + size_t(row + wr + group) * n + col + wc + j * 8 + in * 2;
    out[0] = acc[j][0], out[1] = acc[j][1];
    out[size_t(8) * n] = acc[j][2], out[size_t(8) * n + 1] = acc[j][3];
  }
}
