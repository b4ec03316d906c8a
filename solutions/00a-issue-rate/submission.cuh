// 00a: one warp, eight accumulator tiles, nothing but mma: as many of them as the tensor core
// takes.
#pragma once

#include "exercises/device/issue_rate.cuh"

namespace {

// ---- constants

constexpr int kStepsATrip = 8;  // `steps` is a multiple of it

// ---- the hole: one function, about ten lines

// Adds A × B to each of the chains `steps` times.
// The chains take turns: between two mma of one chain stand seven others that wait for nothing. A
// trip is 64 mma, so that the way back to the top of the loop is paid once in 64. All the loops in
// it are unrolled: sums[chain] is a register only if the compiler knows the chain.
__device__ void issue(float (&sums)[tcd::kChains][4], const tcd::Fragments& fragments, int steps) {
#pragma unroll 1
  for (int trip = 0; trip < steps / kStepsATrip; ++trip) {
#pragma unroll
    for (int step = 0; step < kStepsATrip; ++step) {
#pragma unroll
      for (int chain = 0; chain < tcd::kChains; ++chain) {
        tcd::ptx::mma_m16n8k16(sums[chain], fragments.a, fragments.b);
      }
    }
  }
}

// ---- end of the hole

}  // namespace
