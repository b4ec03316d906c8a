// Mistakes between the CTAs of one launch. On the emulated device one CTA may run after the other,
// and on a card nearly so: the results are often right.
#pragma once

#include <cooperative_groups.h>

#include "checks/tests/mistakes/result_check.h"

namespace mistakes_test {

constexpr int kCtas = 8;
constexpr int kFloats = kCtas * kThreads;  // of output, where each CTA has its own part

// Each CTA adds its part of K to all of the sums.
template <bool kWrong>
__global__ void split_k(const float* in, float* sums) {
  const float mine = in[blockIdx.x * kThreads + threadIdx.x];
  if (kWrong) {
    sums[threadIdx.x] += mine;  // reported: split_k
  } else {
    atomicAdd(&sums[threadIdx.x], mine);
  }
}

// The same by atomics, and the first CTA sets the sums to zero before it adds.
template <bool kWrong>
__global__ void zero_and_add(const float* in, float* sums) {
  if (kWrong && blockIdx.x == 0) sums[threadIdx.x] = 0;  // reported: zero_and_add
  __syncthreads();
  atomicAdd(&sums[threadIdx.x], in[blockIdx.x * kThreads + threadIdx.x]);
}

// The first CTA sets the sums to zero, and nothing makes the others wait for it.
template <bool kWrong>
__global__ void zero_then_add(const float* in, float* sums, float* partial) {
  if (blockIdx.x == 0) sums[threadIdx.x] = 0;
  if (!kWrong) cooperative_groups::this_grid().sync();
  partial[blockIdx.x * kThreads + threadIdx.x] =
      sums[threadIdx.x] + in[threadIdx.x];  // reported: zero_then_add
}

// A running mean of three, in place: the neighbours are another CTA's.
template <bool kWrong>
__global__ void smooth(float* data, float* other) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  const float left = data[i == 0 ? 0 : i - 1];  // reported: smooth
  const float right = data[i == kFloats - 1 ? i : i + 1];
  const float mean = left + data[i] + right;
  __syncthreads();
  (kWrong ? data : other)[i] = mean;
}

// Two phases: all write, then each reads what another CTA has written.
template <bool kWrong>
__global__ void two_phases(const float* in, float* between, float* out) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  between[i] = in[i];
  if (kWrong) {
    __syncthreads();
  } else {
    cooperative_groups::this_grid().sync();
  }
  out[i] = between[kFloats - 1 - i];  // reported: two_phases
}

// All add, then each uses the sums.
template <bool kWrong>
__global__ void add_then_use(const float* in, float* sums, float* out) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  atomicAdd(&sums[threadIdx.x], in[i]);
  if (kWrong) {
    __syncthreads();
  } else {
    cooperative_groups::this_grid().sync();
  }
  out[i] = sums[threadIdx.x];  // reported: add_then_use
}

// The warps of a CTA hand over through global memory.
template <bool kWrong>
__global__ void turn_round(const float* in, float* between, float* out, unsigned*) {
  between[threadIdx.x] = in[threadIdx.x];
  if (!kWrong) __syncthreads();
  out[threadIdx.x] = between[kThreads - 1 - threadIdx.x];  // reported: turn_round
}

// The CTA that comes last adds up what all have left.
template <bool kWrong>
__global__ void last_adds_up(const float* in, float* partial, float* out, unsigned* counter) {
  __shared__ bool is_last;
  partial[blockIdx.x * kThreads + threadIdx.x] = in[blockIdx.x * kThreads + threadIdx.x];
  if (!kWrong) __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicInc(counter, kCtas - 1) == kCtas - 1;
  __syncthreads();
  if (!is_last) return;
  float sum = 0;
  for (int cta = 0; cta < kCtas; ++cta) {
    sum += partial[cta * kThreads + threadIdx.x];  // reported: last_adds_up
  }
  out[threadIdx.x] = sum;
}

// The second CTA continues where the first one stops: a flag says when.
template <bool kWrong>
__global__ void fix_up(const float* in, float* partial, float* out, unsigned* word) {
  volatile unsigned* const ready = word;
  if (blockIdx.x == 0) {
    if (kWrong && threadIdx.x == 0) *ready = 1;
    partial[threadIdx.x] = in[threadIdx.x];
    __threadfence();
    __syncthreads();
    if (!kWrong && threadIdx.x == 0) *ready = 1;
    return;
  }
  if (threadIdx.x == 0) {
    while (*ready == 0) {
    }
  }
  __syncthreads();
  out[threadIdx.x] = partial[threadIdx.x] + in[kThreads + threadIdx.x];  // reported: fix_up
}

// --- The host side ---------------------------------------------------------------------------

// Starts `kernel` as one grid that is on the device as a whole.
template <class... Parameters>
void launch_together(void (*kernel)(Parameters...), int ctas, Parameters... arguments) {
  void* all[] = {&arguments...};
  cudaLaunchCooperativeKernel(reinterpret_cast<void*>(kernel), ctas, kThreads, all);
}

inline float sum_of_parts(int i) {
  return static_cast<float>(kCtas * i + kThreads * kCtas * (kCtas - 1) / 2);
}

using Adding = void (*)(const float*, float*);
template <Adding kWrongKernel, Adding kRightKernel>
Outcome run_adding(bool wrong) {
  const Input in;
  return check_floats(
      kThreads,
      [&](float* out) {
        cudaMemset(out, 0, kThreads * sizeof(float));
        (wrong ? kWrongKernel : kRightKernel)<<<kCtas, kThreads>>>(in.get(), out);
      },
      sum_of_parts);
}

inline Outcome run_zero_then_add(bool wrong) {
  const Input in;
  const OnDevice<float> sums(kThreads);
  cudaMemset(sums.get(), 0, kThreads * sizeof(float));
  return check_floats(
      kFloats,
      [&](float* out) {
        launch_together(wrong ? zero_then_add<true> : zero_then_add<false>, kCtas,
                        static_cast<const float*>(in.get()), sums.get(), out);
      },
      [](int i) { return i % kThreads; });
}

inline Outcome run_smooth(bool wrong) {
  const Input in;
  const OnDevice<float> other(kFloats);
  return check_floats(
      kFloats,
      [&](float* out) {
        (wrong ? smooth<true> : smooth<false>)<<<kCtas, kThreads>>>(in.get(), other.get());
        cudaMemcpy(out, wrong ? in.get() : other.get(), kFloats * sizeof(float),
                   cudaMemcpyDeviceToDevice);
      },
      [](int i) { return (i == 0 ? 0 : i - 1) + i + (i == kFloats - 1 ? i : i + 1); });
}

using InPhases = void (*)(const float*, float*, float*);
template <InPhases kWrongKernel, InPhases kRightKernel, float (*kExpected)(int)>
Outcome run_in_phases(bool wrong) {
  const Input in;
  const OnDevice<float> between(kFloats);
  cudaMemset(between.get(), 0, kFloats * sizeof(float));
  return check_floats(
      kFloats,
      [&](float* out) {
        launch_together(wrong ? kWrongKernel : kRightKernel, kCtas,
                        static_cast<const float*>(in.get()), between.get(), out);
      },
      kExpected);
}

inline float from_the_end(int i) { return static_cast<float>(kFloats - 1 - i); }
inline float sum_used(int i) { return sum_of_parts(i % kThreads); }
inline float turned_round(int i) { return static_cast<float>(kThreads - 1 - i); }

// With partial results and a word that is 0, which the CTAs agree by.
using Agreeing = void (*)(const float*, float*, float*, unsigned*);
template <Agreeing kWrongKernel, Agreeing kRightKernel, int kCount, float (*kExpected)(int)>
Outcome run_agreeing(bool wrong) {
  const Input in;
  const OnDevice<float> partial(kFloats);
  const OnDevice<unsigned> word(1);
  cudaMemset(partial.get(), 0, kFloats * sizeof(float));
  cudaMemset(word.get(), 0, sizeof(unsigned));
  return check_floats(
      kThreads,
      [&](float* out) {
        (wrong ? kWrongKernel : kRightKernel)<<<kCount, kThreads>>>(in.get(), partial.get(), out,
                                                                    word.get());
      },
      kExpected);
}

inline float sum_of_two(int i) { return static_cast<float>(2 * i + kThreads); }

}  // namespace mistakes_test

inline std::vector<Mistake> cta_mistakes() {
  using namespace mistakes_test;
  const std::string race = "race in global memory: ";
  return {
      {"split_k_without_atomic", "each part of K adds to the sums by +=", race, "split_k",
       "writes: warp 0, lane 0, thread (0,0,0) of CTA (",
       run_adding<split_k<true>, split_k<false>>},
      {"zeroed_while_others_add", "the first CTA zeroes what all add to by atomics", race + "write",
       "zero_and_add", "atom.global.add", run_adding<zero_and_add<true>, zero_and_add<false>>},
      {"zeroed_by_the_first_cta", "the first CTA zeroes what the others read", race + "read",
       "zero_then_add", "of CTA (0,0,0)", run_zero_then_add},
      {"in_place_neighbours", "a stencil in place: the neighbours belong to another CTA",
       race + "read", "smooth", "which another CTA writes", run_smooth},
      {"barrier_of_the_cta_only", "__syncthreads() where all CTAs should wait for each other",
       race + "read", "two_phases", "use two launches",
       run_in_phases<two_phases<true>, two_phases<false>, from_the_end>},
      {"sum_used_before_all_added", "sums by atomicAdd() read while other CTAs still add",
       race + "read", "add_then_use", "which another CTA writes",
       run_in_phases<add_then_use<true>, add_then_use<false>, sum_used>},
      {"warps_unordered_in_global", "warps of a CTA hand over in global memory, no __syncthreads()",
       race + "read", "turn_round", "another warp of the CTA",
       run_agreeing<turn_round<true>, turn_round<false>, 1, turned_round>},
      {"last_cta_without_fence", "the last CTA adds up what no __threadfence() gave away",
       race + "read", "last_adds_up", "__threadfence()",
       run_agreeing<last_adds_up<true>, last_adds_up<false>, kCtas, sum_of_parts>},
      {"flag_before_the_data", "the flag for another CTA set before the data are written",
       race + "read", "fix_up", "of CTA (0,0,0)",
       run_agreeing<fix_up<true>, fix_up<false>, 2, sum_of_two>},
  };
}
