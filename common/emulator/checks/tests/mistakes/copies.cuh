// Mistakes with cp.async and its pipeline.
#pragma once

#include "checks/tests/mistakes/result_check.h"
#include "ptx/cp_async.cuh"
#include "ptx/shared_address.cuh"

namespace mistakes_test {

enum Step {
  kRight,
  kNoWait,
  kWaitOneHigh,
  kNoCommit,
  kBarrierFirst,
  kNoBarrier,
  kFetchFirst,
  kSlot,
  kHalfAsWide
};

// Half of cp_async_16: the address moves by 16 bytes all the same.
__device__ inline void cp_async_8(uint32_t shared, const void* global) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(shared), "l"(global) : "memory");
}

// Three stages, two in flight.
template <Step kStep>
__global__ void pipeline(const float* in, float* out) {
  constexpr int kStages = 3;
  __shared__ __align__(16) float stage[kStages][kTile];
  const auto fetch = [&](int tile) {
    if (tile < kTiles) {
      const int slot = (kStep == kSlot ? tile + 1 : tile) % kStages;
      const uint32_t to = tcd::ptx::shared_address(&stage[slot][threadIdx.x * 4]);
      const float* from = in + tile * kTile + threadIdx.x * 4;
      if (kStep == kHalfAsWide) cp_async_8(to, from);
      if (kStep != kHalfAsWide) tcd::ptx::cp_async_16(to, from);
    }
    if (kStep != kNoCommit) tcd::ptx::cp_async_commit();
  };
  fetch(0);
  fetch(1);
  float sum = 0;
  for (int tile = 0; tile < kTiles; ++tile) {
    if (kStep == kFetchFirst) fetch(tile + 2);  // reported: fetch_before_barrier
    if (kStep == kBarrierFirst) __syncthreads();
    constexpr int kInFlight = kStep == kWaitOneHigh || kStep == kFetchFirst ? 2 : 1;
    if (kStep != kNoWait) tcd::ptx::cp_async_wait<kInFlight>();
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
  tcd::ptx::cp_async_16(tcd::ptx::shared_address(&tile[threadIdx.x * 4]), in + threadIdx.x * 4);
  tcd::ptx::cp_async_commit();
  tcd::ptx::cp_async_wait<0>();
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
  tcd::ptx::cp_async_16_zero_fill(tcd::ptx::shared_address(&tile[threadIdx.x * 4]),
                                  in + threadIdx.x * 4, inside ? 16 : 0);
  if (kWrong && !inside) tile[threadIdx.x * 4] = 0;  // reported: zeroed_under_copy
  tcd::ptx::cp_async_commit();
  tcd::ptx::cp_async_wait<0>();
  __syncthreads();
  out[threadIdx.x] = tile[kTile - 1 - threadIdx.x * 4];
}

inline float sum_of_last(int i) {
  float sum = 0;
  for (int tile = 0; tile < kTiles; ++tile) sum += static_cast<float>((tile + 1) * kTile - 1 - i);
  return sum;
}
inline float one_more_of_four(int i) { return static_cast<float>(4 * i + 4); }
inline float lower_half(int i) {
  const int at = kTile - 1 - 4 * i;
  return static_cast<float>(at < kTile / 2 ? at : 0);
}
template <Step kStep>
constexpr auto run_pipeline = one_cta<pipeline<kStep>, pipeline<kRight>, sum_of_last>;

}  // namespace mistakes_test

inline std::vector<Mistake> copy_mistakes() {
  using namespace mistakes_test;
  const std::string early = "asynchronous copy read too early: ";
  return {
      {"wait_missing", "no wait before the tile is read", early, "pipeline",
       "No wait covers it: that thread has not waited", run_pipeline<kNoWait>, "pipeline"},
      {"wait_one_high", "wait_group leaves one group too many in flight", early, "pipeline",
       "committed 1 group after this copy's: only cp.async.wait_group 1",
       run_pipeline<kWaitOneHigh>, "pipeline"},
      {"commit_missing", "copies that are never committed", early, "pipeline", "never committed",
       run_pipeline<kNoCommit>, "pipeline"},
      {"barrier_before_wait", "the barrier stands before the wait", early, "pipeline",
       "A wait covers only the own thread's copies", run_pipeline<kBarrierFirst>, "pipeline"},
      {"barrier_after_wait_missing", "no barrier after the wait", early, "pipeline",
       "another thread's cp.async filled", run_pipeline<kNoBarrier>, "pipeline"},
      {"fetch_before_barrier", "the next copy starts before all have read its slot",
       "race in shared memory: a cp.async into", "fetch_before_barrier", "is this the right stage?",
       run_pipeline<kFetchFirst>, "pipeline"},
      {"slot_of_the_next_tile", "copies go to the slot of the next tile", early, "pipeline",
       "has not waited since it committed", run_pipeline<kSlot>, "pipeline"},
      {"copy_half_as_wide", "copies of 8 bytes where 16 are meant", "uninitialised shared memory",
       "pipeline", "read of 4 bytes", run_pipeline<kHalfAsWide>, "pipeline"},
      {"epilogue_reuses_tile", "the epilogue writes into the tile while others read it",
       "race in shared memory: write", "epilogue_reuses_tile", "may still be reading",
       one_cta<epilogue<true>, epilogue<false>, one_more_of_four>},
      {"zeroed_under_copy", "zero stored by hand where a zero-filling copy will land",
       "asynchronous copy overwritten", "zeroed_under_copy", "cp.async may still be landing",
       one_cta<zero_tail<true>, zero_tail<false>, lower_half>},
  };
}
