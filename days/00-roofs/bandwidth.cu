// Read, write and copy, 16 bytes a thread at a time. Which memory answers is a question of size: a
// buffer much larger than L2 comes from DRAM, one that is much smaller from L2.
#include "bandwidth.h"

namespace day {

namespace {

constexpr int kThreads = 256;
constexpr int kInFlight = 4;  // loads a thread has under way

// What word i of a buffer must hold.
__device__ uint32_t pattern(size_t i, uint32_t seed) {
  return static_cast<uint32_t>(i) * kPatternStep + seed;
}

// Past L1, which would answer a second pass itself; volatile, so that no pass is left out.
__device__ uint4 load_through_l2(const uint4* from) {
  uint4 v;
  asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(from));
  return v;
}

__device__ size_t first_chunk() { return size_t(blockIdx.x) * kThreads + threadIdx.x; }
__device__ size_t stride() { return size_t(gridDim.x) * kThreads; }

// Adds every word, `passes` times over; one partial sum a warp. Whole-number sums are exact in any
// order.
__global__ void __launch_bounds__(kThreads)
    read_kernel(const uint4* from, size_t chunks, int passes, uint32_t* sums) {
  uint32_t sum = 0;
  for (int pass = 0; pass < passes; ++pass) {
    for (size_t i = first_chunk(); i < chunks; i += stride() * kInFlight) {
      uint4 v[kInFlight] = {};
#pragma unroll
      for (int j = 0; j < kInFlight; ++j) {
        if (i + j * stride() < chunks) v[j] = load_through_l2(&from[i + j * stride()]);
      }
#pragma unroll
      for (const uint4& word : v) sum += word.x + word.y + word.z + word.w;
    }
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  if (threadIdx.x % 32 == 0) sums[first_chunk() / 32] = sum;
}

__global__ void __launch_bounds__(kThreads) write_kernel(uint4* to, size_t chunks, uint32_t seed) {
  for (size_t i = first_chunk(); i < chunks; i += stride()) {
    to[i] = make_uint4(pattern(4 * i, seed), pattern(4 * i + 1, seed), pattern(4 * i + 2, seed),
                       pattern(4 * i + 3, seed));
  }
}

__global__ void __launch_bounds__(kThreads)
    copy_kernel(uint4* to, const uint4* from, size_t chunks) {
  for (size_t i = first_chunk(); i < chunks; i += stride() * kInFlight) {
    uint4 v[kInFlight];
#pragma unroll
    for (int j = 0; j < kInFlight; ++j) {
      if (i + j * stride() < chunks) v[j] = load_through_l2(&from[i + j * stride()]);
    }
#pragma unroll
    for (int j = 0; j < kInFlight; ++j) {
      if (i + j * stride() < chunks) to[i + j * stride()] = v[j];
    }
  }
}

__global__ void __launch_bounds__(kThreads)
    compare_kernel(const uint32_t* words, size_t count, uint32_t seed, Differences* found) {
  for (size_t i = first_chunk(); i < count; i += stride()) {
    if (words[i] == pattern(i, seed)) continue;
    atomicAdd(&found->count, 1ull);
    atomicMin(&found->first, static_cast<unsigned long long>(i));
  }
}

}  // namespace

int read_sums(int ctas) { return ctas * kThreads / 32; }

void launch_read(int ctas, const void* from, size_t bytes, int passes, uint32_t* sums) {
  read_kernel<<<ctas, kThreads>>>(static_cast<const uint4*>(from), bytes / 16, passes, sums);
}

void launch_write(int ctas, void* to, size_t bytes, uint32_t seed) {
  write_kernel<<<ctas, kThreads>>>(static_cast<uint4*>(to), bytes / 16, seed);
}

void launch_copy(int ctas, void* to, const void* from, size_t bytes) {
  copy_kernel<<<ctas, kThreads>>>(static_cast<uint4*>(to), static_cast<const uint4*>(from),
                                  bytes / 16);
}

void launch_compare(int ctas, const void* words, size_t bytes, uint32_t seed, Differences* found) {
  compare_kernel<<<ctas, kThreads>>>(static_cast<const uint32_t*>(words), bytes / 4, seed, found);
}

}  // namespace day
