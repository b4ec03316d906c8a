// Mistakes with barriers. kWrong chooses the kernel with the mistake.
#pragma once

#include "checks/tests/mistakes/result_check.h"

namespace mistakes_test {

template <bool kWrong>
__global__ void reverse(const float* in, float* out) {
  __shared__ float tile[kThreads];
  tile[threadIdx.x] = in[threadIdx.x];
  if (!kWrong) __syncthreads();
  out[threadIdx.x] = tile[kThreads - 1 - threadIdx.x];  // reported: barrier_missing
}

template <bool kWrong>
__global__ void reverse_moved(const float* in, float* out) {
  __shared__ float tile[kThreads];
  const float mine = in[threadIdx.x];
  if (kWrong) __syncthreads();
  tile[threadIdx.x] = mine;
  if (!kWrong) __syncthreads();
  out[threadIdx.x] = tile[kThreads - 1 - threadIdx.x];  // reported: barrier_before_the_store
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

// in[0] is 0: it keeps the compiler from making one of the two branches.
template <bool kWrong>
__global__ void barrier_in_branches(const float* in, float* out) {
  __shared__ float tile[kThreads];
  tile[threadIdx.x] = in[threadIdx.x];
  if (kWrong && threadIdx.x % 2 == 1) {
    __syncthreads();
    out[threadIdx.x] = tile[kThreads - 1 - threadIdx.x] + in[0];
  } else {
    __syncthreads();  // reported: barrier_in_branches
    out[threadIdx.x] = tile[kThreads - 1 - threadIdx.x];
  }
}

template <bool kWrong>
__global__ void counter(const float*, float* out) {
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

// A barrier of its own for the producer and the consumer warp.
__device__ inline void named_barrier(int id) {
  asm volatile("bar.sync %0, 64;" ::"r"(id) : "memory");
}

// The consumer alone waits: nobody will come.
template <bool kWrong>
__global__ void one_sided_barrier(const float* in, float* out) {
  __shared__ float tile[kThreads];
  tile[threadIdx.x] = in[threadIdx.x];
  if (!kWrong || threadIdx.x < 32) named_barrier(1);  // reported: barrier_of_one_warp
  out[threadIdx.x] = tile[kThreads - 1 - threadIdx.x];
}

template <bool kWrong>
__global__ void two_ids(const float* in, float* out) {
  __shared__ float tile[kThreads];
  tile[threadIdx.x] = in[threadIdx.x];
  named_barrier(kWrong ? 1 + threadIdx.x / 32 : 1);  // reported: barrier_ids_differ
  out[threadIdx.x] = tile[kThreads - 1 - threadIdx.x];
}

inline float reversed(int i) { return static_cast<float>(kThreads - 1 - i); }
template <int kCount>
float sum_of_reversed(int i) {
  float sum = 0;
  for (int tile = 0; tile < kCount; ++tile) {
    sum += static_cast<float>(tile * kThreads) + reversed(i);
  }
  return sum;
}
inline float all_threads(int) { return kThreads; }
inline float two_warps(int) { return 1 + 33; }

}  // namespace mistakes_test

inline std::vector<Mistake> barrier_mistakes() {
  using namespace mistakes_test;
  const std::string race = "race in shared memory: ";
  return {
      {"barrier_missing", "no barrier between store and load", race + "read", "barrier_missing",
       "other   wrote: warp 0, lane 31", one_cta<reverse<true>, reverse<false>, reversed>},
      {"barrier_before_the_store", "the barrier moved up, before the store", race + "read",
       "barrier_before_the_store", "other   wrote: warp",
       one_cta<reverse_moved<true>, reverse_moved<false>, reversed>},
      {"second_barrier_missing", "no barrier between the last load and the next store",
       race + "write", "second_barrier_missing", "other   read: warp",
       one_cta<sum_tiles<true>, sum_tiles<false>, sum_of_reversed<kTiles>>},
      {"buffer_index", "of two buffers, the one being filled is read", race + "read",
       "buffer_index", "other   wrote",
       one_cta<two_buffers<true>, two_buffers<false>, sum_of_reversed<kTiles - 1>>},
      {"barrier_in_branches", "a barrier in each branch of an if within a warp",
       "barrier divergence", "barrier_in_branches", "`bar.sync 0;`",
       one_cta<barrier_in_branches<true>, barrier_in_branches<false>, reversed>},
      {"zeroed_without_barrier", "a shared counter set to zero and counted, no barrier between",
       race + "write", "zeroed_without_barrier", "other   wrote: warp 0, lane 0",
       one_cta<counter<true>, counter<false>, all_threads>},
      {"sum_without_atomic", "two warps add to one shared sum without an atomic", race,
       "sum_without_atomic", "warp 1, lane 0",
       one_cta<sum_of_warps<true>, sum_of_warps<false>, two_warps>},
      {"barrier_of_one_warp", "a named barrier that only one of its two warps comes to", "deadlock",
       "barrier_of_one_warp", "waits at barrier 1",
       one_cta<one_sided_barrier<true>, one_sided_barrier<false>, reversed>},
      {"barrier_ids_differ", "two warps wait for each other, at barriers of two numbers",
       "deadlock", "barrier_ids_differ", "waits at barrier 2",
       one_cta<two_ids<true>, two_ids<false>, reversed>},
  };
}
