// The bench's kernel with FP8 operands, e4m3: four bits of exponent, three of fraction.
#include "bench/bench_kernel.h"
#include "bench/narrow.h"
#include "harness/shared_memory.h"
#include "ptx/cp_async.cuh"
#include "ptx/ldmatrix.cuh"
#include "ptx/mma.cuh"
#include "ptx/mma_bytes.cuh"
#include "ptx/shared_address.cuh"

namespace day_fp8::bench {
using namespace day::bench;
}
#pragma push_macro("day")
#undef day
#define day day_fp8
#define mma_m16n8k16 mma_m16n8k32_e4m3
#include "bench/bench_kernel.cuh"
#undef mma_m16n8k16
#pragma pop_macro("day")

namespace day_fp8::bench {

using Kernel = Tile<128, 128, 64, 64>;
constexpr auto kKernel = bench_kernel<Kernel, Mma::kK16, Accumulator::kF32, Epilogue::kNone, 2>;

void launch(const BenchArguments& gemm) {
  const int ld = gemm.layout == 1 ? kCtaK + kChunk : kCtaK;
  const int bytes = gemm.stages * (Kernel::kCtaM + Kernel::kCtaN) * ld * 2;
  tcd::allow_shared_memory(kKernel, bytes);
  kKernel<<<gemm.m / Kernel::kCtaM*(gemm.n / Kernel::kCtaN), Kernel::kThreads, bytes>>>(gemm);
}

}  // namespace day_fp8::bench

day::bench::NarrowKernel day::bench::fp8_kernel() {
  using namespace day_fp8::bench;
  return {.name = "FP8 (e4m3), m16n8k32",
          .minimum_compute = 89,
          .counter = "mma_fp8",
          .integer = false,
          .shape = {Kernel::kCtaM, Kernel::kCtaN, 2 * day_fp8::bench::kCtaK, Kernel::kThreads,
                    reinterpret_cast<const void*>(kKernel)},
          .warps_m = Kernel::kWarpsM,
          .warps_n = Kernel::kWarpsN,
          .launch = day_fp8::bench::launch};
}
