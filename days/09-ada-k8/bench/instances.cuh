// Makes the instances of one translation unit.
//
//   tile 0   64× 64, 4 warps of  32×32   small: four times the CTAs for a small matrix, half the
//                                         reuse of every byte
//   tile 1  128×128, 8 warps of  64×32   Days 03 to 08
//   tile 2  256×128, 8 warps of  64×64   tile 4's CTA tile on twice the threads, so it fits
//   tile 3  128×128, 4 warps of  64×64   Day 09
//   tile 4  256×128, 4 warps of 128×64   256 sums a thread: more than there are registers
#pragma once

#include <vector>

#include "bench/bench_kernel.cuh"

namespace day::bench {

template <typename T, Mma kMma, Accumulator kAccumulator, Epilogue kEpilogue, int kMinCtas>
void launch(const BenchArguments& gemm) {
  const auto kernel = bench_kernel<T, kMma, kAccumulator, kEpilogue, kMinCtas>;
  const int ld = gemm.layout == 1 ? kCtaK + kChunk : kCtaK;
  const int bytes = gemm.stages * (T::kCtaM + T::kCtaN) * ld * static_cast<int>(sizeof(half));
  tcd::allow_shared_memory(kernel, bytes);
  const int ctas = gemm.m / T::kCtaM * (gemm.n / T::kCtaN);
  kernel<<<ctas, T::kThreads, bytes>>>(gemm);
}

template <typename T, Mma kMma, Accumulator kAccumulator, Epilogue kEpilogue, int kMinCtas>
Instance instance(int tile) {
  const auto kernel = bench_kernel<T, kMma, kAccumulator, kEpilogue, kMinCtas>;
  return {.tile = tile,
          .mma = kMma,
          .accumulator = kAccumulator,
          .epilogue = kEpilogue,
          .min_ctas = kMinCtas,
          .shape = {T::kCtaM, T::kCtaN, kCtaK, T::kThreads, reinterpret_cast<const void*>(kernel)},
          .warps_m = T::kWarpsM,
          .warps_n = T::kWarpsN,
          .launch = launch<T, kMma, kAccumulator, kEpilogue, kMinCtas>};
}

using Tile0 = Tile<64, 64, 32, 32>;
using Tile1 = Tile<128, 128, 64, 32>;
using Tile2 = Tile<256, 128, 64, 64>;
using Tile3 = Tile<128, 128, 64, 64>;
using Tile4 = Tile<256, 128, 128, 64>;

template <Mma kMma, Accumulator kAccumulator, Epilogue kEpilogue>
std::vector<Instance> instances() {
  return {instance<Tile0, kMma, kAccumulator, kEpilogue, 2>(0),
          instance<Tile1, kMma, kAccumulator, kEpilogue, 2>(1),
          instance<Tile2, kMma, kAccumulator, kEpilogue, 1>(2),
          instance<Tile3, kMma, kAccumulator, kEpilogue, 2>(3),
          instance<Tile4, kMma, kAccumulator, kEpilogue, 1>(4)};
}

}  // namespace day::bench
