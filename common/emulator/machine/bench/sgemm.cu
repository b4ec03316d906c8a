// A plain tiled FP32 GEMM on CUDA cores: 128×128×8 tiles, 8×8 outputs a thread. What bench_machine
// measures ordinary code with; sgemm.ptx is what nvcc 13.0 makes of it (-arch=sm_80).
extern "C" __global__ void __launch_bounds__(256)
    sgemm(const float* a, const float* b, float* c, int n) {
  __shared__ float ta[8][128], tb[8][128];
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  const int row = blockIdx.y * 128, col = blockIdx.x * 128;
  float acc[8][8] = {};
  for (int k0 = 0; k0 < n; k0 += 8) {
    const int ar = threadIdx.x / 2, ak = threadIdx.x % 2 * 4;
    const float4 va = *reinterpret_cast<const float4*>(a + size_t(row + ar) * n + k0 + ak);
    ta[ak][ar] = va.x, ta[ak + 1][ar] = va.y, ta[ak + 2][ar] = va.z, ta[ak + 3][ar] = va.w;
    const int bk = threadIdx.x / 32, bc = threadIdx.x % 32 * 4;
    *reinterpret_cast<float4*>(&tb[bk][bc]) =
        *reinterpret_cast<const float4*>(b + size_t(k0 + bk) * n + col + bc);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      float fa[8], fb[8];
#pragma unroll
      for (int i = 0; i < 8; i += 4) {
        *reinterpret_cast<float4*>(fa + i) = *reinterpret_cast<float4*>(&ta[k][ty * 8 + i]);
        *reinterpret_cast<float4*>(fb + i) = *reinterpret_cast<float4*>(&tb[k][tx * 8 + i]);
      }
#pragma unroll
      for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j) acc[i][j] += fa[i] * fb[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 8; ++i)
#pragma unroll
    for (int j = 0; j < 8; ++j) c[size_t(row + ty * 8 + i) * n + col + tx * 8 + j] = acc[i][j];
}
