// Memory that nobody wrote, or that is not there.
#pragma once

#include "checks/tests/mistakes/result_check.h"

namespace mistakes_test {

inline float identity(int i) { return static_cast<float>(i); }
inline float twice(int i) { return static_cast<float>(2 * i); }

template <bool kWrong>
__global__ void tail(const float* in, float* out) {
  constexpr int kLength = kThreads - 3;
  __shared__ float tile[kThreads];
  if (threadIdx.x < kLength) tile[threadIdx.x] = in[threadIdx.x];
  if (!kWrong && threadIdx.x >= kLength) tile[threadIdx.x] = 0;
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

// One array lies behind the other, and nothing tells where the first one ends.
template <bool kWrong>
__global__ void two_arrays(const float* in, float* out) {
  __shared__ struct {
    float tile[kThreads];
    float scale[kThreads];
  } shared;
  shared.scale[threadIdx.x] = 2;
  __syncthreads();
  shared.tile[threadIdx.x + kWrong] = in[threadIdx.x] + 1;
  __syncthreads();
  out[threadIdx.x] = shared.tile[threadIdx.x + kWrong] * shared.scale[threadIdx.x];
}

__global__ void add_to(const float* in, float* out) {
  out[threadIdx.x] += in[threadIdx.x];  // reported: output_not_zeroed
}

__global__ void add_atomically(const float* in, float* out) {
  atomicAdd(&out[threadIdx.x], in[threadIdx.x]);  // reported: sums_not_zeroed
}

// Adds to memory of its own, which only the right program sets to zero.
template <Kernel kKernel>
Outcome add_to_new_memory(bool wrong) {
  const Input in;
  const OnDevice<float> sums(kThreads);
  if (!wrong) cudaMemset(sums.get(), 0, kThreads * sizeof(float));
  kKernel<<<1, kThreads>>>(in.get(), sums.get());
  return check_floats(
      kThreads,
      [&](float* out) {
        cudaMemcpy(out, sums.get(), kThreads * sizeof(float), cudaMemcpyDeviceToDevice);
      },
      identity);
}

template <bool kWrong>
__global__ void beyond_given(const float* in, float* out) {
  const int first = kWrong ? kGiven - kThreads / 2 : 0;
  out[threadIdx.x] = in[first + threadIdx.x] - first;  // reported: tail_not_copied
}

__constant__ float scale_of_all;

__global__ void scaled(const float* in, float* out) {
  out[threadIdx.x] = in[threadIdx.x] * scale_of_all;
}

inline Outcome with_constant(bool wrong) {
  const float two = 2;
  if (!wrong) cudaMemcpyToSymbol(scale_of_all, &two, sizeof two);
  return one_cta<scaled, scaled, twice>(wrong);
}

// --- Addresses -------------------------------------------------------------------------------

__global__ void copy_floats(const float* in, float* out) {
  out[threadIdx.x] = in[threadIdx.x];  // reported: wild_pointer
}

enum class Pointer { kFreed, kHost, kNull };

template <Pointer kWhich>
Outcome from_pointer(bool wrong) {
  const Input good;
  float* freed = nullptr;
  cudaMalloc(&freed, kThreads * sizeof(float));
  cudaFree(freed);
  const std::vector<float> host(kThreads);
  const float* bad = kWhich == Pointer::kFreed  ? freed
                     : kWhich == Pointer::kHost ? host.data()
                                                : nullptr;
  return check_floats(
      kThreads, [&](float* out) { copy_floats<<<1, kThreads>>>(wrong ? bad : good.get(), out); },
      identity);
}

// Each thread adds its element and the one a row below; there is no row below the last.
template <bool kWrong>
__global__ void add_next_row(const float* in, float* out) {
  constexpr int kRow = 16, kRows = kThreads / kRow;
  const int row = threadIdx.x / kRow;
  const bool has_next = kWrong || row + 1 < kRows;
  const float next = has_next ? in[threadIdx.x + kRow] : 0;  // reported: one_row_too_far
  out[threadIdx.x] = in[threadIdx.x] + (row + 1 < kRows ? next : 0);
}

inline Outcome last_row(bool wrong) {
  std::vector<float> given(kThreads);
  for (int i = 0; i < kThreads; ++i) given[i] = static_cast<float>(i);
  const OnDevice<float> in(given);
  return check_floats(
      kThreads,
      [&](float* out) {
        (wrong ? add_next_row<true> : add_next_row<false>)<<<1, kThreads>>>(in.get(), out);
      },
      [](int i) { return i + (i < 48 ? i + 16 : 0); });
}

// Byte `column` of row 70,000 in rows of 70,000: more than 32 bits count.
template <class Index>
__global__ void far_row(const unsigned char* in, float* out, Index row, Index pitch) {
  const Index at = row * pitch + threadIdx.x;
  out[threadIdx.x] = in[at];  // reported: index_overflow
}

inline Outcome large_matrix(bool wrong) {
  constexpr unsigned kRow = 70000;
  constexpr size_t kFirst = size_t{kRow} * kRow;  // 4.9 GB, of which only the last row is touched
  const OnDevice<unsigned char> in(kFirst + kThreads);
  const std::vector<unsigned char> line(kThreads, 7);
  cudaMemcpy(in.get() + kFirst, line.data(), line.size(), cudaMemcpyHostToDevice);
  return check_floats(
      kThreads,
      [&](float* out) {
        if (wrong) far_row<unsigned><<<1, kThreads>>>(in.get(), out, kRow, kRow);
        if (!wrong) far_row<size_t><<<1, kThreads>>>(in.get(), out, kRow, kRow);
      },
      [](int) { return 7; });
}

// A window of four in local memory; the wrong one has room for three steps back.
template <bool kWrong>
__global__ void local_window(const float* in, float* out) {
  float window[4] = {};
  for (int i = 0; i < 4; ++i) window[static_cast<int>(in[i])] = in[threadIdx.x] + i;
  const int newest = static_cast<int>(in[kWrong ? 4 : 3]);
  out[threadIdx.x] = window[newest];  // reported: local_overrun
}

inline float three_more(int i) { return static_cast<float>(i + 3); }
inline float twice_one_more(int i) { return static_cast<float>(2 * (i + 1)); }
inline float transposed(int i) { return static_cast<float>(i % 8 * 8 + i / 8); }
inline float reversed_but_three(int i) {
  const int at = kThreads - 1 - i;
  return static_cast<float>(at < kThreads - 3 ? at : 0);
}

}  // namespace mistakes_test

inline std::vector<Mistake> memory_mistakes() {
  using namespace mistakes_test;
  const std::string illegal = "illegal address: ";
  return {
      {"tail_not_filled", "the tail of a shared tile is neither loaded nor set to zero",
       "uninitialised shared memory", "tail_not_filled", "lane 0, thread (0,0,0)",
       one_cta<tail<true>, tail<false>, reversed_but_three>},
      {"padding_read", "a column off by one: the padding of a shared tile is read",
       "uninitialised shared memory", "padding_read", "read of 4 bytes",
       one_cta<padded<true>, padded<false>, transposed>},
      {"shared_overrun", "one shared array written past its end, into the next", "", "", "differ",
       one_cta<two_arrays<true>, two_arrays<false>, twice_one_more>},
      {"output_not_zeroed", "adds to memory of cudaMalloc that nobody set to zero",
       "uninitialised global memory", "output_not_zeroed", "byte 0 of the allocation",
       add_to_new_memory<add_to>},
      {"sums_not_zeroed", "atomicAdd into memory that nobody set to zero",
       "uninitialised global memory", "sums_not_zeroed", "byte 0 of the allocation",
       add_to_new_memory<add_atomically>},
      {"tail_not_copied", "reads input behind what cudaMemcpy brought",
       "uninitialised global memory", "tail_not_copied", "lane 0, thread (32,0,0)",
       one_cta<beyond_given<true>, beyond_given<false>, identity>},
      {"constant_not_copied", "a __constant__ that no cudaMemcpyToSymbol sets", "", "", "differ",
       with_constant},
      {"use_after_free", "a pointer whose memory was freed", illegal, "wild_pointer",
       "use after free", from_pointer<Pointer::kFreed>, "pointer"},
      {"host_pointer", "a pointer to the host's memory", illegal, "wild_pointer",
       "is it a host pointer?", from_pointer<Pointer::kHost>, "pointer"},
      {"null_pointer", "a null pointer", illegal, "wild_pointer", "a null pointer was dereferenced",
       from_pointer<Pointer::kNull>, "pointer"},
      {"one_row_too_far", "reads the row behind the last one and does not use it", illegal,
       "one_row_too_far", "0 bytes past the end", last_row},
      {"index_overflow", "an index that wraps at 32 bits", "uninitialised global memory",
       "index_overflow", "read of 1 bytes", large_matrix},
      {"local_overrun", "a local array indexed behind its end", illegal, "local_overrun",
       "bytes of local memory", one_cta<local_window<true>, local_window<false>, three_more>},
  };
}
