// The kernel around an issue-rate submission: one warp loads A and B, lets the submission add
// their product to every chain, and stores the chains. Chain c starts from c.
#include <cuda_fp16.h>

#include "ptx/fragments.h"
#include "submission.cuh"

namespace {

constexpr int kM = 16, kN = 8, kK = 16;

__device__ uint32_t pair(const half* low, const half* high) {
  return uint32_t{__half_as_ushort(*low)} | uint32_t{__half_as_ushort(*high)} << 16;
}

}  // namespace

// All row-major, without padding; d: a tile a chain.
extern "C" __global__ void issue_kernel(const half* a, const half* b, float* d, long long steps) {
  using namespace tcd::fragment;
  const int lane = threadIdx.x;
  tcd::Fragments fragments;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const Coord at = a_m16n8k16(lane, 2 * i);
    fragments.a[i] = pair(a + at.row * kK + at.col, a + at.row * kK + at.col + 1);
  }
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const Coord at = b_m16n8k16(lane, 2 * i);
    fragments.b[i] = pair(b + at.row * kN + at.col, b + (at.row + 1) * kN + at.col);
  }
  float sums[tcd::kChains][4];
#pragma unroll
  for (int chain = 0; chain < tcd::kChains; ++chain) {
#pragma unroll
    for (float& sum : sums[chain]) sum = float(chain);
  }
  issue(sums, fragments, int(steps));
#pragma unroll
  for (int chain = 0; chain < tcd::kChains; ++chain) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const Coord at = c_m16n8(lane, i);
      d[(chain * kM + at.row) * kN + at.col] = sums[chain][i];
    }
  }
}
