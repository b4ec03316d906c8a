// Launches that cannot be, or that are too small for the work.
#pragma once

#include "checks/tests/mistakes/result_check.h"

namespace mistakes_test {

constexpr int kOdd = 3 * kThreads + 7;  // elements

__global__ void copy_some(const float* in, float* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = in[i];
}

__global__ void __launch_bounds__(kThreads) copy_bounded(const float* in, float* out) {
  out[threadIdx.x] = in[threadIdx.x];
}

__global__ void through_dynamic_shared(const float* in, float* out) {
  extern __shared__ float buffer[];
  buffer[threadIdx.x] = in[threadIdx.x];  // reported: dynamic_shared
  __syncthreads();
  out[threadIdx.x] = buffer[threadIdx.x];
}

template <class Launch>
Outcome copied(int count, const Launch& launch) {
  const Input in;
  return check_floats(
      count, [&](float* out) { launch(in.get(), out); }, [](int i) { return i; });
}

inline Outcome threads(bool wrong) {
  return copied(kOdd, [&](const float* in, float* out) {
    copy_some<<<1, wrong ? 2048 : 1024>>>(in, out, kOdd);
  });
}

inline Outcome blind(bool wrong) {
  const Input in;
  return check_floats<false>(
      kOdd, [&](float* out) { copy_some<<<1, wrong ? 2048 : 1024>>>(in.get(), out, kOdd); },
      [](int i) { return i; });
}

inline Outcome bounds(bool wrong) {
  return copied(kThreads, [&](const float* in, float* out) {
    copy_bounded<<<1, wrong ? 2 * kThreads : kThreads>>>(in, out);
  });
}

inline Outcome whole_ctas(bool wrong) {
  return copied(kOdd, [&](const float* in, float* out) {
    const int ctas = wrong ? kOdd / kThreads : (kOdd + kThreads - 1) / kThreads;
    copy_some<<<ctas, kThreads>>>(in, out, kOdd);
  });
}

inline Outcome few_elements(bool wrong) {
  constexpr int kFew = 7;
  return copied(kFew, [&](const float* in, float* out) {
    const int ctas = wrong ? kFew / kThreads : 1;
    copy_some<<<ctas, kThreads>>>(in, out, kFew);
  });
}

inline Outcome shared_limit(bool wrong) {
  constexpr int kBytes = 64 * 1024;
  return copied(kThreads, [&](const float* in, float* out) {
    if (!wrong) {
      cudaFuncSetAttribute(through_dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize,
                           kBytes);
    }
    through_dynamic_shared<<<1, kThreads, kBytes>>>(in, out);
  });
}

inline Outcome shared_size(bool wrong) {
  return copied(kThreads, [&](const float* in, float* out) {
    through_dynamic_shared<<<1, kThreads, (wrong ? 1 : sizeof(float)) * kThreads>>>(in, out);
  });
}

}  // namespace mistakes_test

inline std::vector<Mistake> launch_mistakes() {
  using namespace mistakes_test;
  return {
      {"too_many_threads", "2,048 threads a CTA", "launch of mistakes_test::copy_some", "",
       "block (2048, 1, 1)", threads},
      {"error_not_looked_at", "a launch that fails, and no cudaGetLastError() after it",
       "launch failure never looked at: mistakes_test::copy_some", "", "was refused with", blind},
      {"launch_bounds_exceeded", "more threads than the kernel's __launch_bounds__",
       "launch of mistakes_test::copy_bounded", "", "its __launch_bounds__ say 64", bounds},
      {"shared_limit_not_raised", "64 KiB of dynamic shared memory, the attribute not set",
       "launch of mistakes_test::through_dynamic_shared", "", "cudaFuncSetAttribute", shared_limit},
      {"empty_grid", "a grid of n / 64 CTAs for less than 64 elements",
       "launch of mistakes_test::copy_some", "", "grid (0, 1, 1)", few_elements},
      {"division_rounds_down", "n / 64 CTAs where n is no multiple of 64", "", "",
       "7 never written", whole_ctas},
      {"shared_size_in_elements", "dynamic shared memory given in elements, not bytes",
       "illegal address: write of 4 bytes at shared address", "dynamic_shared",
       "third launch argument", shared_size},
  };
}
