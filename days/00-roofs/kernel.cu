// Day 00: how many FLOP an SM issues in a clock. Nothing but mma: operands stay in registers.
//
// Every warp holds kIlp accumulator tiles, the chains, and adds the same A × B to each of them,
// again and again. Within a chain an mma waits for the one before; chains do not wait for each
// other.
#include <cuda_fp16.h>

#include <cstdint>

#include "day.h"
#include "harness/shared_memory.h"
#include "mma_kinds.cuh"

namespace day {

// ---- constants

// The loop's own instructions (add, compare, branch) are shared by so many mma, whatever kIlp is.
constexpr int kMmas = 16;
constexpr int kMostThreads = kMostWarps * 32;
static_assert(kMmas == kStepsMultiple, "at ILP 1 a chain takes all mma of an iteration");

// Registers a lane holds of one tile.
template <typename Mma>
constexpr int kRegistersA = Mma::kShape.registers_a();
template <typename Mma>
constexpr int kRegistersB = Mma::kShape.registers_b();
template <typename Mma>
constexpr int kRegistersD = Mma::kShape.registers_d();

template <typename Mma>
struct Fragments {
  uint32_t a[kRegistersA<Mma>];
  uint32_t b[kRegistersB<Mma>];
};

// ---- coordinates

struct Coordinates {
  int lane, warp;
  int warp_of_grid;
};

__device__ Coordinates coordinates() {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  return {lane, warp, static_cast<int>(blockIdx.x * (blockDim.x / 32)) + warp};
}

// ---- load

// Laid out by the host: [register][lane], A's registers first. Every warp gets the same.
template <typename Mma>
__device__ void load_fragments(Fragments<Mma>& fragments, const uint32_t* from, int lane) {
#pragma unroll
  for (uint32_t& word : fragments.a) word = from[lane], from += 32;
#pragma unroll
  for (uint32_t& word : fragments.b) word = from[lane], from += 32;
}

// Chain c starts from c, so that no two chains end alike.
template <typename Mma>
__device__ uint32_t start_of(int chain) {
  constexpr Accumulator kType = Mma::kShape.accumulator;
  if (kType == Accumulator::kS32) return chain;
  if (kType == Accumulator::kF32) return __float_as_uint(float(chain));
  const half2 both = __float2half2_rn(float(chain));
  return reinterpret_cast<const uint32_t&>(both);
}

// A store needs its operand, and the clock is read after it: waits until `value` is there.
__device__ void wait_for(volatile uint32_t* sink, uint32_t value) { *sink = value; }

// ---- compute

// The operands and the number of iterations come from memory, the results go back there: the
// compiler can neither fold the loop nor drop it. tests/sass_loop.py reads what it made of it.
template <typename Mma, int kIlp, int kMmasAnIteration>
__device__ void issue(uint32_t (&d)[kIlp][kRegistersD<Mma>], const Fragments<Mma>& fragments,
                      int iterations) {
#pragma unroll 1
  for (int i = 0; i < iterations; ++i) {
#pragma unroll
    for (int step = 0; step < kMmasAnIteration / kIlp; ++step) {
#pragma unroll
      for (int chain = 0; chain < kIlp; ++chain) {
        if constexpr (kCompute >= Mma::kShape.minimum_compute) {
          Mma::run(d[chain], fragments.a, fragments.b);
        }
      }
    }
  }
}

// ---- store

template <typename Mma, int kIlp>
__device__ void store_chains(uint32_t* to, const uint32_t (&d)[kIlp][kRegistersD<Mma>],
                             const Coordinates& at) {
  constexpr int kD = kRegistersD<Mma>;
  uint32_t* warp = to + size_t(at.warp_of_grid) * kIlp * kD * 32 + at.lane;
#pragma unroll
  for (int chain = 0; chain < kIlp; ++chain) {
#pragma unroll
    for (int r = 0; r < kD; ++r) warp[(chain * kD + r) * 32] = d[chain][r];
  }
}

// ---- kernel

template <typename Mma, int kIlp, int kMmasAnIteration>
__global__ void __launch_bounds__(kMostThreads) issue_kernel(IssueArguments issue_rate) {
  extern __shared__ uint32_t sink[];  // so large that no second CTA fits on the SM
  const Coordinates at = coordinates();
  Fragments<Mma> fragments;
  load_fragments(fragments, issue_rate.operands, at.lane);
  uint32_t d[kIlp][kRegistersD<Mma>];
#pragma unroll
  for (int chain = 0; chain < kIlp; ++chain) {
#pragma unroll
    for (uint32_t& element : d[chain]) element = start_of<Mma>(chain);
  }
  uint32_t loaded = 0;
  for (uint32_t word : fragments.a) loaded ^= word;
  for (uint32_t word : fragments.b) loaded ^= word;
  wait_for(&sink[threadIdx.x], loaded);
  __syncthreads();  // all warps of the SM start together
  const long long start = clock64();
  issue<Mma, kIlp, kMmasAnIteration>(d, fragments, issue_rate.iterations);
  wait_for(&sink[threadIdx.x], d[kIlp - 1][0]);  // the last mma issued is the last to finish
  const long long stop = clock64();
  store_chains<Mma, kIlp>(issue_rate.d, d, at);
  if (at.lane == 0) issue_rate.clocks[at.warp_of_grid] = {start, stop};
}

// ---- launch

template <typename Mma, int kIlp, int kMmasAnIteration>
void launch_issue(int ctas, int warps, int shared_bytes, const IssueArguments& issue_rate) {
  const auto kernel = issue_kernel<Mma, kIlp, kMmasAnIteration>;
  tcd::allow_shared_memory(kernel, shared_bytes);
  kernel<<<ctas, warps * 32, shared_bytes>>>(issue_rate);
}

template <typename Mma, int kIlp, int kMmasAnIteration = kMmas>
IssueVariant variant() {
  static_assert(kMmasAnIteration % kIlp == 0, "every chain gets the same number of steps");
  static_assert(kStepsMultiple * kIlp % kMmasAnIteration == 0, "whole iterations only");
  const auto* kernel = reinterpret_cast<const void*>(&issue_kernel<Mma, kIlp, kMmasAnIteration>);
  return {kIlp, kMmasAnIteration, kernel, launch_issue<Mma, kIlp, kMmasAnIteration>};
}

template <typename Mma>
MmaKind kind() {
  return {Mma::kShape,
          {variant<Mma, 1>(), variant<Mma, 2>(), variant<Mma, 4>(), variant<Mma, 8>()}};
}

const bool kHasFp8 = DAY00_HAS_FP8;

std::vector<MmaKind> mma_kinds() {
  std::vector<MmaKind> kinds = {kind<F16F32K16>(), kind<F16F16K16>(),  kind<F16F32K8>(),
                                kind<F16F16K8>(),  kind<Bf16F32K16>(), kind<Tf32F32K8>(),
                                kind<Int8K32>(),   kind<Int8K16>()};
  kinds[0].longer_loops = {variant<F16F32K16, 8, 32>(), variant<F16F32K16, 8, 64>(),
                           variant<F16F32K16, 8, 128>()};
#if DAY00_HAS_FP8
  kinds.push_back(kind<Fp8F32K32>());
#endif
  return kinds;
}

}  // namespace day
