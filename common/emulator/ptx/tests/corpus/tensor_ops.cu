// Inline assembly as the days use it: ldmatrix, mma.sync, cp.async; plus wmma.
#include <cuda_fp16.h>
#include <mma.h>

#include <cstdint>

__device__ __forceinline__ void cp_async_16(uint32_t to, const void* from, bool valid) {
  int bytes = valid ? 16 : 0;
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;\n" ::"r"(to), "l"(from),
               "r"(bytes));
}

__device__ __forceinline__ void cp_async_4(uint32_t to, const void* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\n" ::"r"(to), "l"(from));
}

__device__ __forceinline__ void ldmatrix_x4(uint32_t (&d)[4], uint32_t at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
               : "r"(at));
}

__device__ __forceinline__ void mma_16816(float (&d)[4], const uint32_t (&a)[4], uint32_t b0,
                                          uint32_t b1) {
  asm volatile(
      "{ // a scope of its own\n"
      "  .reg .f32 %t<4>;\n"
      "  .reg .pred p, q;\n"
      "  setp.ne.b32 p|q, %8, 0; /* pair */\n"
      "  mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32\n"
      "    {%%t0, %%t1, %%t2, %%t3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n"
      "  @p  mov.f32 %0, %%t0;\n"
      "  @!p mov.f32 %0, 0f00000000;\n"
      "  mov.f32 %1, %%t1; mov.f32 %2, %%t2; mov.f32 %3, %%t3;\n"
      "}\n"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__global__ void __launch_bounds__(128, 2) pipeline(const half* a, const half* b, float* c, int k) {
  extern __shared__ __align__(16) unsigned char memory[];
  __shared__ half fixed[16][40];
  uint32_t at = static_cast<uint32_t>(__cvta_generic_to_shared(memory));
  float d[4] = {};
  for (int step = 0; step < k; step += 16) {
    cp_async_16(at + threadIdx.x * 16, a + step, step + 8 < k);
    cp_async_4(at + 4096, b + step);
    asm volatile("cp.async.commit_group;\n" ::);
    asm volatile("cp.async.wait_group %0;\n" ::"n"(0));
    __syncthreads();
    uint32_t fragment[4];
    ldmatrix_x4(fragment, at + (threadIdx.x & 15) * 80);
    fixed[threadIdx.x & 15][0] = __float2half(d[0]);
    mma_16816(d, fragment, fragment[0], fragment[1]);
  }
  for (int i = 0; i < 4; ++i) c[threadIdx.x * 4 + i] = d[i] + __half2float(fixed[i][0]);
}

__global__ void wmma_tile(const half* a, const half* b, float* c) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, half, row_major> fa;
  fragment<matrix_b, 16, 16, 16, half, col_major> fb;
  fragment<accumulator, 16, 16, 16, float> fc;
  fill_fragment(fc, 0.0f);
  load_matrix_sync(fa, a, 16);
  load_matrix_sync(fb, b, 16);
  mma_sync(fc, fa, fb, fc);
  store_matrix_sync(c, fc, 16, mem_row_major);
}
