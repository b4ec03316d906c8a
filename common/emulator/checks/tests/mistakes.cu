// Mistakes as people make them, in the small: kWrong chooses the kernel with the mistake. Each is
// one that a card lets pass most of the time.
#include <cstdint>

#include "checks/tests/mistakes.h"
#include "ptx/cp_async.cuh"
#include "ptx/ldmatrix.cuh"
#include "ptx/shared_address.cuh"

using namespace tcd::ptx;

namespace {

constexpr int kThreads = 64;
constexpr int kTile = kThreads * 4;  // floats: 16 bytes a thread
constexpr int kTiles = 8;
constexpr int kGiven = kTiles * kTile;  // floats of input

// --- Barriers --------------------------------------------------------------------------------

template <bool kWrong>
__global__ void reverse(const float* in, float* out) {
  __shared__ float tile[kThreads];
  tile[threadIdx.x] = in[threadIdx.x];
  if (!kWrong) __syncthreads();
  out[threadIdx.x] = tile[kThreads - 1 - threadIdx.x];  // reported: barrier_missing
}

template <bool kWrong>
__global__ void sum_tiles(const float* in, float* out) {
  __shared__ float tile[kThreads];
  float sum = 0;
  for (int i = 0; i < kTiles; ++i) {
    tile[threadIdx.x] = in[i * kThreads + threadIdx.x];  // reported: second_barrier_missing
    __syncthreads();
    sum += tile[kThreads - 1 - threadIdx.x];
    if (!kWrong) __syncthreads();
  }
  out[threadIdx.x] = sum;
}

template <bool kWrong>
__global__ void two_buffers(const float* in, float* out) {
  __shared__ float tile[2][kThreads];
  tile[0][threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  float sum = 0;
  for (int i = 1; i < kTiles; ++i) {
    tile[i % 2][threadIdx.x] = in[i * kThreads + threadIdx.x];
    const int full = kWrong ? i % 2 : (i + 1) % 2;
    sum += tile[full][kThreads - 1 - threadIdx.x];  // reported: buffer_index
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

template <bool kWrong>
__global__ void barrier_in_branches(const float* in, float* out) {
  __shared__ float tile[kThreads];
  tile[threadIdx.x] = in[threadIdx.x];
  if (kWrong && threadIdx.x % 2 == 1) {
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x - 1] + 1;
  } else {
    __syncthreads();  // reported: barrier_in_branches
    out[threadIdx.x] = tile[kThreads - 1 - threadIdx.x];
  }
}

template <bool kWrong>
__global__ void counter(int* out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  if (!kWrong) __syncthreads();
  atomicAdd(&count, 1);  // reported: zeroed_without_barrier
  __syncthreads();
  out[threadIdx.x] = count;
}

template <bool kWrong>
__global__ void sum_of_warps(const float* in, float* out) {
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  const float mine = in[threadIdx.x] + 1;
  if (threadIdx.x % 32 == 0) {
    if (kWrong) {
      sum += mine;  // reported: sum_without_atomic
    } else {
      atomicAdd(&sum, mine);
    }
  }
  __syncthreads();
  out[threadIdx.x] = sum;
}

// --- Lanes -----------------------------------------------------------------------------------

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

template <bool kWrong>
__global__ void matrix_of_own_rows(const float* in, uint32_t* out) {
  __shared__ __align__(16) float rows[kThreads][4];
  for (int k = 0; k < 4; ++k) rows[threadIdx.x][k] = in[threadIdx.x * 4 + k];
  if (!kWrong) __syncwarp();
  uint32_t r[4];
  ldmatrix_x4(r, shared_address(rows[threadIdx.x ^ 1]));  // reported: ldmatrix_unordered
  for (int k = 0; k < 4; ++k) out[threadIdx.x * 4 + k] = r[k];
}

// --- A pipeline of cp.async ------------------------------------------------------------------

enum Step {
  kRight,
  kNoWait,
  kWaitOneHigh,
  kNoCommit,
  kBarrierFirst,
  kNoBarrier,
  kFetchFirst,
  kSlot
};

// Three stages, two in flight.
template <Step kStep>
__global__ void pipeline(const float* in, float* out) {
  constexpr int kStages = 3;
  __shared__ __align__(16) float stage[kStages][kTile];
  const auto fetch = [&](int tile) {
    if (tile < kTiles) {
      const int slot = (kStep == kSlot ? tile + 1 : tile) % kStages;
      cp_async_16(shared_address(&stage[slot][threadIdx.x * 4]),
                  in + tile * kTile + threadIdx.x * 4);
    }
    if (kStep != kNoCommit) cp_async_commit();
  };
  fetch(0);
  fetch(1);
  float sum = 0;
  for (int tile = 0; tile < kTiles; ++tile) {
    if (kStep == kFetchFirst) fetch(tile + 2);  // reported: fetch_before_barrier
    if (kStep == kBarrierFirst) __syncthreads();
    if (kStep != kNoWait) cp_async_wait<kStep == kWaitOneHigh || kStep == kFetchFirst ? 2 : 1>();
    if (kStep != kBarrierFirst && kStep != kNoBarrier) __syncthreads();
    if (kStep != kFetchFirst) fetch(tile + 2);
    const float* full = stage[tile % kStages];
    sum += full[kTile - 1 - threadIdx.x];  // reported: pipeline
  }
  out[threadIdx.x] = sum;
}

// The epilogue uses the tile's memory while a slow warp still reads it.
template <bool kWrong>
__global__ void epilogue(const float* in, float* out) {
  __shared__ __align__(16) float tile[kTile];
  cp_async_16(shared_address(&tile[threadIdx.x * 4]), in + threadIdx.x * 4);
  cp_async_commit();
  cp_async_wait<0>();
  __syncthreads();
  const float mine = tile[kTile - 1 - threadIdx.x * 4];
  if (!kWrong) __syncthreads();
  tile[threadIdx.x] = mine + 1;  // reported: epilogue_reuses_tile
  __syncthreads();
  out[threadIdx.x] = tile[kThreads - 1 - threadIdx.x];
}

// Set to zero by hand while the copy is on its way: the tail of K, done twice.
template <bool kWrong>
__global__ void zero_tail(const float* in, float* out) {
  __shared__ __align__(16) float tile[kTile];
  const bool inside = threadIdx.x < kThreads / 2;
  cp_async_16_zero_fill(shared_address(&tile[threadIdx.x * 4]), in + threadIdx.x * 4,
                        inside ? 16 : 0);
  if (kWrong && !inside) tile[threadIdx.x * 4] = 0;  // reported: zeroed_under_copy
  cp_async_commit();
  cp_async_wait<0>();
  __syncthreads();
  out[threadIdx.x] = tile[kTile - 1 - threadIdx.x * 4];
}

// --- Memory that nobody wrote ----------------------------------------------------------------

template <bool kWrong>
__global__ void tail(const float* in, float* out, int k) {
  __shared__ float tile[kThreads];
  if (threadIdx.x < k) tile[threadIdx.x] = in[threadIdx.x];
  if (!kWrong && threadIdx.x >= k) tile[threadIdx.x] = 0;
  __syncthreads();
  out[threadIdx.x] = tile[kThreads - 1 - threadIdx.x];  // reported: tail_not_filled
}

template <bool kWrong>
__global__ void padded(const float* in, float* out) {
  __shared__ float tile[8][9];
  const int row = threadIdx.x / 8, column = threadIdx.x % 8;
  tile[row][column] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[column][kWrong ? row + 1 : row];  // reported: padding_read
}

template <bool kWrong>
__global__ void accumulate(const float* in, float* out) {
  out[threadIdx.x] += in[threadIdx.x];  // reported: output_not_zeroed
}

template <bool kWrong>
__global__ void beyond_given(const float* in, float* out) {
  const int first = kWrong ? kGiven - kThreads / 2 : 0;
  out[threadIdx.x] = in[first + threadIdx.x];  // reported: tail_not_copied
}

// --- The host side ---------------------------------------------------------------------------

struct Memory {
  float *in = nullptr, *out = nullptr;
  // Both are larger than what is written of them, as buffers for the largest case are.
  Memory() {
    std::vector<float> given(kGiven);  // all different: writing what is there already is no race
    for (int i = 0; i < kGiven; ++i) given[i] = static_cast<float>(i);
    cudaMalloc(&in, 2 * kGiven * sizeof(float));
    cudaMalloc(&out, kGiven * sizeof(float));
    cudaMemcpy(in, given.data(), kGiven * sizeof(float), cudaMemcpyHostToDevice);
  }
  ~Memory() {
    cudaFree(in);
    cudaFree(out);
  }
  int* integers() const { return reinterpret_cast<int*>(out); }
  uint32_t* words() const { return reinterpret_cast<uint32_t*>(out); }
};

template <void (*kWrongKernel)(const float*, float*), void (*kRightKernel)(const float*, float*)>
void either(bool wrong) {
  const Memory m;
  (wrong ? kWrongKernel : kRightKernel)<<<2, kThreads>>>(m.in, m.out);
}

template <Step kStep>
void run_pipeline(bool wrong) {
  const Memory m;
  (wrong ? pipeline<kStep> : pipeline<kRight>)<<<1, kThreads>>>(m.in, m.out);
}

template <void (*kWrongKernel)(const float*, float*), void (*kRightKernel)(const float*, float*)>
Mistake mistake(const char* name, const char* says, const char* also) {
  return {name, says, also, &either<kWrongKernel, kRightKernel>};
}

constexpr const char* kRace = "race in shared memory: ";
constexpr const char* kEarly = "asynchronous copy read too early: ";

}  // namespace

const std::vector<Mistake>& mistakes() {
  static const std::vector<Mistake> all = {
      mistake<reverse<true>, reverse<false>>("barrier_missing", "race in shared memory: read",
                                             "other   wrote: warp 0, lane 31"),
      mistake<sum_tiles<true>, sum_tiles<false>>(
          "second_barrier_missing", "race in shared memory: write", "other   read: warp"),
      mistake<two_buffers<true>, two_buffers<false>>("buffer_index", "race in shared memory: read",
                                                     "other   wrote"),
      mistake<barrier_in_branches<true>, barrier_in_branches<false>>(
          "barrier_in_branches", "barrier divergence", "`bar.sync 0;`"),
      {"zeroed_without_barrier", "race in shared memory: write", "other   wrote: warp 0, lane 0",
       [](bool wrong) {
         const Memory m;
         (wrong ? counter<true> : counter<false>)<<<2, kThreads>>>(m.integers());
       }},
      mistake<sum_of_warps<true>, sum_of_warps<false>>("sum_without_atomic", kRace,
                                                       "warp 1, lane 0"),
      mistake<reduce_in_warp<true>, reduce_in_warp<false>>(
          "syncwarp_missing", "race in shared memory between lanes of a warp", "__syncwarp()"),
      mistake<scatter<true>, scatter<false>>("two_lanes_one_place", "race within one instruction",
                                             "warp 0, lane 0"),
      {"ldmatrix_unordered", "race in shared memory between lanes of a warp", "ldmatrix",
       [](bool wrong) {
         const Memory m;
         (wrong ? matrix_of_own_rows<true> : matrix_of_own_rows<false>)<<<1, kThreads>>>(m.in,
                                                                                         m.words());
       }},
      {"pipeline", kEarly, "No wait covers it: that thread has not waited", &run_pipeline<kNoWait>},
      {"pipeline", kEarly, "committed 1 group after this copy's: only cp.async.wait_group 1",
       &run_pipeline<kWaitOneHigh>},
      {"pipeline", kEarly, "never committed", &run_pipeline<kNoCommit>},
      {"pipeline", kEarly, "A wait covers only the own thread's copies",
       &run_pipeline<kBarrierFirst>},
      {"pipeline", kEarly, "another thread's cp.async filled", &run_pipeline<kNoBarrier>},
      {"fetch_before_barrier", "race in shared memory: a cp.async into", "is this the right stage?",
       &run_pipeline<kFetchFirst>},
      {"pipeline", kEarly, "has not waited since it committed", &run_pipeline<kSlot>},
      mistake<epilogue<true>, epilogue<false>>(
          "epilogue_reuses_tile", "race in shared memory: write", "may still be reading"),
      mistake<zero_tail<true>, zero_tail<false>>(
          "zeroed_under_copy", "asynchronous copy overwritten", "cp.async may still be landing"),
      {"tail_not_filled", "uninitialised shared memory", "lane 0, thread (0,0,0)",
       [](bool wrong) {
         const Memory m;
         (wrong ? tail<true> : tail<false>)<<<1, kThreads>>>(m.in, m.out, kThreads - 3);
       }},
      mistake<padded<true>, padded<false>>("padding_read", "uninitialised shared memory",
                                           "read of 4 bytes"),
      {"output_not_zeroed", "uninitialised global memory", "byte 0 of the allocation",
       [](bool wrong) {
         const Memory m;
         if (!wrong) cudaMemset(m.out, 0, kThreads * sizeof(float));
         accumulate<true><<<1, kThreads>>>(m.in, m.out);
       }},
      mistake<beyond_given<true>, beyond_given<false>>(
          "tail_not_copied", "uninitialised global memory", "lane 0, thread (32,0,0)"),
  };
  return all;
}
