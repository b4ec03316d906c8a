// 00a: one warp, eight accumulator tiles, nothing but mma: as many of them as the tensor core
// takes.
#pragma once

#include "exercises/device/issue_rate.cuh"

namespace {

// ---- constants

constexpr int kStepsATrip = 8;  // `steps` is a multiple of it

// ---- the hole: one function, about ten lines

// Adds A × B to each of the chains `steps` times.
__device__ void issue(float (&sums)[tcd::kChains][4], const tcd::Fragments& fragments, int steps) {
#pragma unroll
  for (int chain = 0; chain < tcd::kChains; ++chain) {
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
      tcd::ptx::mma_m16n8k16(sums[chain], fragments.a, fragments.b);
    }
  }
}

// ---- end of the hole

}  // namespace
