// Mistakes between the lanes of a warp.
#pragma once

#include "checks/tests/mistakes/result_check.h"
#include "ptx/ldmatrix.cuh"
#include "ptx/shared_address.cuh"

namespace mistakes_test {

template <bool kWrong>
__global__ void reduce_in_warp(const float* in, float* out) {
  __shared__ float part[kThreads];
  part[threadIdx.x] = in[threadIdx.x];
  for (int step = 16; step > 0; step /= 2) {
    if (!kWrong) __syncwarp();
    float sum = 0;
    if (threadIdx.x % 32 < step) {
      sum = part[threadIdx.x] + part[threadIdx.x + step];  // reported: syncwarp_missing
    }
    if (!kWrong) __syncwarp();
    if (threadIdx.x % 32 < step) part[threadIdx.x] = sum;
  }
  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = part[threadIdx.x];
}

template <bool kWrong>
__global__ void scatter(const float* in, float* out) {
  __shared__ float bins[kThreads];
  const int bin = kWrong ? threadIdx.x & ~1 : threadIdx.x ^ 1;
  bins[bin] = in[threadIdx.x] + threadIdx.x;  // reported: two_lanes_one_place
  __syncthreads();
  out[threadIdx.x] = bins[kWrong ? threadIdx.x & ~1 : threadIdx.x];
}

// A row of four floats is a row of eight halves to ldmatrix.
template <bool kWrong, int kPitch>
__global__ void matrix_of_rows(const float* in, float* out) {
  __shared__ __align__(16) float rows[kThreads][kPitch];
  for (int k = 0; k < 4; ++k) rows[threadIdx.x][k] = in[threadIdx.x * 4 + k];
  if (!kWrong) __syncwarp();
  uint32_t r[4];
  const uint32_t row = tcd::ptx::shared_address(rows[threadIdx.x ^ 1]);
  tcd::ptx::ldmatrix_x4(r, row);  // reported: ldmatrix
  for (int k = 0; k < 4; ++k) out[threadIdx.x * 4 + k] = __uint_as_float(r[k]);
}

template <bool kWrong>
__global__ void sum_by_shuffles(const float* in, float* out) {
  float sum = in[threadIdx.x];
  for (int step = kWrong ? 8 : 16; step > 0; step /= 2) {
    sum += __shfl_down_sync(0xffffffff, sum, step);
  }
  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = sum;
}

// The mask names all lanes, half of them run the shuffle.
template <bool kWrong>
__global__ void shuffle_in_branch(const float* in, float* out) {
  __shared__ float sums[kThreads];
  float mine = in[threadIdx.x];
  if (threadIdx.x % 32 < 16) {
    mine += __shfl_xor_sync(kWrong ? 0xffffffff : 0xffff, mine, 8);  // reported: shuffle_in_branch
  }
  sums[threadIdx.x] = mine;
  __syncthreads();
  out[threadIdx.x] = sums[kThreads - 1 - threadIdx.x];
}

inline float sum_of_warp(int warp) { return static_cast<float>(31 * 16 + warp * 32 * 32); }
inline float neighbours(int i) { return static_cast<float>(2 * (i ^ 1)); }
// Matrix m of a warp holds the rows that lanes 8m to 8m + 7 point at; lane l gets word l % 4 of row
// l / 4.
inline float rows_of_others(int i) {
  const int thread = i / 4, m = i % 4, lane = thread % 32;
  const int row = (thread / 32 * 32 + 8 * m + lane / 4) ^ 1;
  return static_cast<float>(row * 4 + lane % 4);
}
inline float folded(int i) {
  const int at = kThreads - 1 - i;
  return static_cast<float>(at % 32 < 16 ? at + (at ^ 8) : at);
}

// The mask leaves out the last of the lanes that run the shuffle.
template <bool kWrong>
__global__ void sum_of_half(const float* in, float* out) {
  float mine = in[threadIdx.x];
  if (threadIdx.x % 32 < 16) {
    mine += __shfl_xor_sync(kWrong ? 0x7fff : 0xffff, mine, 8);  // reported: mask
  }
  out[kThreads - 1 - threadIdx.x] = mine;
}

}  // namespace mistakes_test

inline std::vector<Mistake> lane_mistakes() {
  using namespace mistakes_test;
  const std::string lanes = "race in shared memory between lanes of a warp";
  return {
      {"syncwarp_missing", "a warp reduces in shared memory, no __syncwarp() between the steps",
       lanes, "syncwarp_missing", "__syncwarp()",
       one_cta<reduce_in_warp<true>, reduce_in_warp<false>, sum_of_warp, 2>},
      {"two_lanes_one_place", "two lanes of one store have the same address",
       "race within one instruction", "two_lanes_one_place", "warp 0, lane 0",
       one_cta<scatter<true>, scatter<false>, neighbours>},
      {"ldmatrix_unordered", "ldmatrix of rows that other lanes wrote, no __syncwarp() between",
       lanes, "ldmatrix", "ldmatrix",
       one_cta<matrix_of_rows<true, 4>, matrix_of_rows<false, 4>, rows_of_others, 4 * kThreads>},
      {"ldmatrix_misaligned", "rows padded to 20 bytes, which ldmatrix cannot read",
       "misaligned address: matrix row of 16 bytes", "ldmatrix", "ldmatrix",
       one_cta<matrix_of_rows<false, 5>, matrix_of_rows<false, 4>, rows_of_others, 4 * kThreads>},
      {"shuffles_start_at_8", "a sum by shuffles that begins one step late", "", "", "differ",
       one_cta<sum_by_shuffles<true>, sum_by_shuffles<false>, sum_of_warp, 2>},
      {"mask_leaves_out_a_lane", "a member mask that does not name a lane that calls",
       "wrong member mask: lane 15", "mask", "0x7fff",
       one_cta<sum_of_half<true>, sum_of_half<false>, folded>},
      {"shuffle_in_branch", "a shuffle in a branch, its mask names the lanes outside", "deadlock",
       "shuffle_in_branch", "waits for lanes 16-31",
       one_cta<shuffle_in_branch<true>, shuffle_in_branch<false>, folded>},
  };
}
