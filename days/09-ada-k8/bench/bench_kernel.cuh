// The kernel behind the bench: Day 09's, with the account's knobs.
//
// What changes the code of the main loop is a template parameter: tile, mma, accumulator, epilogue.
// Layout, stages and the type of D are arguments. As template parameters they would make 48
// instances of each; as arguments they cost a few registers, one branch a k-tile for the wait, and
// nothing in the inner loop. kernel.cu, where all is constant, stands beside it to be compared.
// Full tiles only: Day 08's edges are in kernel.cu.
#pragma once

#include <cuda_fp16.h>

#include "bench/bench_kernel.h"
#include "harness/shared_memory.h"
#include "ptx/cp_async.cuh"
#include "ptx/ldmatrix.cuh"
#include "ptx/mma.cuh"
#include "ptx/shared_address.cuh"
#include "tile/rasterize.cuh"

namespace day::bench {

// ---- constants

constexpr int kCtaK = 32;
constexpr int kMmaM = 16, kMmaN = 8;
constexpr int kStepK = 16;  // one m16n8k16, or two m16n8k8
constexpr int kChunk = 8;   // halves in one 16-byte copy
constexpr int kRowChunks = kCtaK / kChunk;

template <int kM, int kN, int kWarpRows, int kWarpColumns>
struct Tile {
  static constexpr int kCtaM = kM, kCtaN = kN, kWarpM = kWarpRows, kWarpN = kWarpColumns;
  static constexpr int kWarpsM = kCtaM / kWarpM, kWarpsN = kCtaN / kWarpN;
  static constexpr int kThreads = kWarpsM * kWarpsN * 32;
  static constexpr int kMmasM = kWarpM / kMmaM, kMmasN = kWarpN / kMmaN;
  static_assert(kCtaM * kRowChunks % kThreads == 0 && kCtaN * kRowChunks % kThreads == 0,
                "every thread copies the same number of chunks");
  static_assert(kThreads / kRowChunks % 8 == 0, "a thread's chunks all have the same swizzle");
  static_assert(kMmasN % 2 == 0, "one ldmatrix.x4 loads B for two mma");
};

// ---- layout

// A tile in shared memory: rows of `ld` halves, the chunks of a row permuted by `mask` of row >>
// shift. Day 05's four layouts, as numbers.
struct Layout {
  int ld, shift, mask;
  __device__ int swizzle(int row) const { return (row >> shift & mask) * kChunk; }
};

__device__ inline Layout layout_of(int number) {
  return {number == 1 ? kCtaK + 8 : kCtaK, number == 3 ? 1 : 0, number >= 2 ? 3 : 0};
}

// ---- accumulators

// Four sums a lane: rows r and r + 8, two neighbouring columns each.
template <Accumulator kAccumulator>
struct Sums;

template <>
struct Sums<Accumulator::kF32> {
  float d[4] = {};
  __device__ float at(int i) const { return d[i]; }
};

template <>
struct Sums<Accumulator::kF16> {
  uint32_t d[2] = {};  // two to a register: half the registers, twice the rate on a GeForce
  __device__ float at(int i) const {
    const half2 pair = reinterpret_cast<const half2&>(d[i / 2]);
    return i % 2 ? __high2float(pair) : __low2float(pair);
  }
};

template <Mma kMma, typename Fragment>
__device__ void multiply(Fragment& sums, const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  if (kMma == Mma::kK16) {
    tcd::ptx::mma_m16n8k16(sums.d, a, {b0, b1});
  } else {
    tcd::ptx::mma_m16n8k8(sums.d, {a[0], a[1]}, {b0});  // k 0–7
    tcd::ptx::mma_m16n8k8(sums.d, {a[2], a[3]}, {b1});  // k 8–15
  }
}

// ---- load

template <int kRows, int kThreads>
__device__ void load_operand(half* tile, const Layout& layout, const half* from, int ld) {
  const int row = threadIdx.x / kRowChunks, k = threadIdx.x % kRowChunks * kChunk;
  half* to = tile + row * layout.ld + (k ^ layout.swizzle(row));
  from += size_t(row) * ld + k;
  constexpr int kRowStep = kThreads / kRowChunks;
#pragma unroll
  for (int i = 0; i < kRows / kRowStep; ++i) {
    tcd::ptx::cp_async_16(tcd::ptx::shared_address(to + i * kRowStep * layout.ld),
                          from + size_t(i * kRowStep) * ld);
  }
}

// Waits until the oldest of `stages` − 1 groups has landed. wait_group takes a constant.
__device__ inline void wait_for_oldest(int stages) {
  switch (stages) {
    case 6:
      return tcd::ptx::cp_async_wait<4>();
    case 5:
      return tcd::ptx::cp_async_wait<3>();
    case 4:
      return tcd::ptx::cp_async_wait<2>();
    case 3:
      return tcd::ptx::cp_async_wait<1>();
    default:
      return tcd::ptx::cp_async_wait<0>();
  }
}

// ---- compute

// 2 steps of k = 16.
template <typename T, Mma kMma, typename Fragment>
__device__ void compute_tile(Fragment (&d)[T::kMmasM][T::kMmasN], uint32_t a_at, uint32_t b_at,
                             const Layout& layout, int a_swizzle, int b_swizzle, int lane) {
#pragma unroll
  for (int k = 0; k < kCtaK; k += kStepK) {
    uint32_t a[T::kMmasM][4], b[T::kMmasN / 2][4];
    const uint32_t a_k = a_at + ((k + lane / 16 * 8) ^ a_swizzle) * 2;
    const uint32_t b_k = b_at + ((k + lane / 8 % 2 * 8) ^ b_swizzle) * 2;
#pragma unroll
    for (int m = 0; m < T::kMmasM; ++m) {
      tcd::ptx::ldmatrix_x4(a[m], a_k + m * kMmaM * layout.ld * 2);
    }
#pragma unroll
    for (int n = 0; n < T::kMmasN / 2; ++n) {
      tcd::ptx::ldmatrix_x4(b[n], b_k + n * 2 * kMmaN * layout.ld * 2);
    }
#pragma unroll
    for (int m = 0; m < T::kMmasM; ++m) {
#pragma unroll
      for (int n = 0; n < T::kMmasN; ++n) {
        multiply<kMma>(d[m][n], a[m], b[n / 2][n % 2 * 2], b[n / 2][n % 2 * 2 + 1]);
      }
    }
  }
}

// ---- store

__device__ inline void store_pair(const BenchArguments& gemm, size_t at, float x, float y) {
  if (gemm.d_is_f32) {
    *reinterpret_cast<float2*>(static_cast<float*>(gemm.d) + at) = make_float2(x, y);
  } else {
    *reinterpret_cast<half2*>(static_cast<half*>(gemm.d) + at) = __floats2half2_rn(x, y);
  }
}

// A NaN stays NaN: fmaxf would hide it.
template <Epilogue kEpilogue>
__device__ float finish(float sum, float bias) {
  if (kEpilogue == Epilogue::kNone) return sum;
  const float biased = sum + bias;
  return biased < 0 ? 0.0f : biased;
}

template <typename T, Epilogue kEpilogue, typename Fragment>
__device__ void store_tile(const BenchArguments& gemm, const Fragment (&d)[T::kMmasM][T::kMmasN],
                           int row0, int column0) {
#pragma unroll
  for (int n = 0; n < T::kMmasN; ++n) {
    const int column = column0 + n * kMmaN;
    float2 add = {};
    if (kEpilogue != Epilogue::kNone) add = *reinterpret_cast<const float2*>(gemm.bias + column);
#pragma unroll
    for (int m = 0; m < T::kMmasM; ++m) {
      const size_t at = size_t(row0 + m * kMmaM) * gemm.ldd + column;
      const Fragment& sum = d[m][n];
      store_pair(gemm, at, finish<kEpilogue>(sum.at(0), add.x),
                 finish<kEpilogue>(sum.at(1), add.y));
      store_pair(gemm, at + 8 * size_t(gemm.ldd), finish<kEpilogue>(sum.at(2), add.x),
                 finish<kEpilogue>(sum.at(3), add.y));
    }
  }
}

// ---- kernel

template <typename T, Mma kMma, Accumulator kAccumulator, Epilogue kEpilogue, int kMinCtas>
__global__ void __launch_bounds__(T::kThreads, kMinCtas) bench_kernel(BenchArguments gemm) {
  extern __shared__ __align__(128) unsigned char shared[];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int warp_row = warp / T::kWarpsN * T::kWarpM, warp_column = warp % T::kWarpsN * T::kWarpN;
  const Layout layout = layout_of(gemm.layout);
  const int a_row = lane % 16, b_row = lane / 16 * 8 + lane % 8;
  const int a_swizzle = layout.swizzle(a_row), b_swizzle = layout.swizzle(b_row);
  const int a_halves = T::kCtaM * layout.ld, stage_halves = a_halves + T::kCtaN * layout.ld;
  const auto [tile_y, tile_x] =
      tcd::tile::rasterize(blockIdx.x, gemm.m / T::kCtaM, gemm.n / T::kCtaN, gemm.group);
  const int tile_row = tile_y * T::kCtaM, tile_column = tile_x * T::kCtaN;
  const int tiles = gemm.k / kCtaK, stages = gemm.stages;
  const uint32_t a_at = tcd::ptx::shared_address(shared) + (warp_row + a_row) * layout.ld * 2;
  const uint32_t b_at =
      tcd::ptx::shared_address(shared) + (a_halves + (warp_column + b_row) * layout.ld) * 2;
  Sums<kAccumulator> d[T::kMmasM][T::kMmasN];

  int fetched = 0, slot_in = 0, slot_out = 0;
  const auto fetch = [&] {
    if (fetched < tiles) {
      half* to = reinterpret_cast<half*>(shared) + slot_in * stage_halves;
      load_operand<T::kCtaM, T::kThreads>(
          to, layout, gemm.a + size_t(tile_row) * gemm.lda + fetched * kCtaK, gemm.lda);
      load_operand<T::kCtaN, T::kThreads>(to + a_halves, layout,
                                          gemm.b + size_t(tile_column) * gemm.ldb + fetched * kCtaK,
                                          gemm.ldb);
    }
    tcd::ptx::cp_async_commit();
    ++fetched;
    slot_in = slot_in + 1 == stages ? 0 : slot_in + 1;
  };
  for (int i = 0; i < stages - 1; ++i) fetch();
  for (int tile = 0; tile < tiles; ++tile) {
    if (stages == 1) fetch();
    wait_for_oldest(stages);
    __syncthreads();
    if (stages > 1) fetch();
    const uint32_t stage = slot_out * stage_halves * 2;
    compute_tile<T, kMma>(d, a_at + stage, b_at + stage, layout, a_swizzle, b_swizzle, lane);
    slot_out = slot_out + 1 == stages ? 0 : slot_out + 1;
    if (stages == 1) __syncthreads();
  }
  store_tile<T, kEpilogue>(gemm, d, tile_row + warp_row + lane / 4,
                           tile_column + warp_column + lane % 4 * 2);
}

}  // namespace day::bench
