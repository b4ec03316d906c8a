// The kernel around a fragment-map submission: one warp, one tile. It loads A and B by the map,
// multiplies, stores D by the map, and hands back what every lane held. TCD_MMA_K is 8 or 16.
#include <cuda_fp16.h>

#include "ptx/mma.cuh"
#include "submission.cuh"

namespace {

constexpr int kM = 16, kN = 8, kK = TCD_MMA_K;
constexpr int kA = kM * kK / 32, kB = kK * kN / 32, kD = kM * kN / 32;

__device__ bool inside(tcd::Element at, int rows, int cols) {
  return at.row >= 0 && at.row < rows && at.col >= 0 && at.col < cols;
}

// NaN for an element that is nowhere: no gate lets it pass.
__device__ half load(const half* tile, int rows, int cols, tcd::Element at) {
  return inside(at, rows, cols) ? tile[at.row * cols + at.col] : __ushort_as_half(0x7e11);
}

__device__ uint32_t pack(half low, half high) {
  return uint32_t{__half_as_ushort(low)} | uint32_t{__half_as_ushort(high)} << 16;
}

}  // namespace

// All row-major; A and B without padding.
extern "C" __global__ void multiply(const half* a, const half* b, float* d, int ldd, float* held_a,
                                    float* held_b) {
  const int lane = threadIdx.x;
  half own_a[kA], own_b[kB];
  for (int i = 0; i < kA; ++i) own_a[i] = load(a, kM, kK, element_of_a(lane, i));
  for (int i = 0; i < kB; ++i) own_b[i] = load(b, kK, kN, element_of_b(lane, i));
  uint32_t fragment_a[kA / 2], fragment_b[kB / 2];
  for (int i = 0; i < kA / 2; ++i) fragment_a[i] = pack(own_a[2 * i], own_a[2 * i + 1]);
  for (int i = 0; i < kB / 2; ++i) fragment_b[i] = pack(own_b[2 * i], own_b[2 * i + 1]);
  float sums[kD] = {};
#if TCD_MMA_K == 8
  tcd::ptx::mma_m16n8k8(sums, fragment_a, fragment_b);
#else
  tcd::ptx::mma_m16n8k16(sums, fragment_a, fragment_b);
#endif
  for (int i = 0; i < kD; ++i) {
    const tcd::Element at = element_of_d(lane, i);
    if (inside(at, kM, kN)) d[at.row * ldd + at.col] = sums[i];
  }
  for (int i = 0; i < kA; ++i) held_a[lane * kA + i] = __half2float(own_a[i]);
  for (int i = 0; i < kB; ++i) held_b[lane * kB + i] = __half2float(own_b[i]);
}
