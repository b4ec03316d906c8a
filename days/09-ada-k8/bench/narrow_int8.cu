// The bench's kernel with INT8 operands. Its sums are 32-bit integers, which the text around the
// mma takes for floats: it sets them to zero, moves them and stores them as four bytes, and never
// adds.
#include "bench/bench_kernel.h"
#include "bench/narrow.h"
#include "harness/shared_memory.h"
#include "ptx/cp_async.cuh"
#include "ptx/ldmatrix.cuh"
#include "ptx/mma.cuh"
#include "ptx/mma_bytes.cuh"
#include "ptx/shared_address.cuh"

namespace tcd::ptx {

__device__ inline void mma_bits_s8(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  mma_m16n8k32_s8(reinterpret_cast<int32_t(&)[4]>(d), a, b);
}

}  // namespace tcd::ptx

namespace day_int8::bench {
using namespace day::bench;
}
#pragma push_macro("day")
#undef day
#define day day_int8
#define mma_m16n8k16 mma_bits_s8
#include "bench/bench_kernel.cuh"
#undef mma_m16n8k16
#pragma pop_macro("day")

namespace day_int8::bench {

using Kernel = Tile<128, 128, 64, 64>;
constexpr auto kKernel = bench_kernel<Kernel, Mma::kK16, Accumulator::kF32, Epilogue::kNone, 2>;

void launch(const BenchArguments& gemm) {
  const int ld = gemm.layout == 1 ? kCtaK + kChunk : kCtaK;
  const int bytes = gemm.stages * (Kernel::kCtaM + Kernel::kCtaN) * ld * 2;
  tcd::allow_shared_memory(kKernel, bytes);
  kKernel<<<gemm.m / Kernel::kCtaM*(gemm.n / Kernel::kCtaN), Kernel::kThreads, bytes>>>(gemm);
}

}  // namespace day_int8::bench

day::bench::NarrowKernel day::bench::int8_kernel() {
  using namespace day_int8::bench;
  return {.name = "INT8, m16n8k32",
          .minimum_compute = 80,
          .counter = "mma_integer",
          .integer = true,
          .shape = {Kernel::kCtaM, Kernel::kCtaN, 2 * day_int8::bench::kCtaK, Kernel::kThreads,
                    reinterpret_cast<const void*>(kKernel)},
          .warps_m = Kernel::kWarpsM,
          .warps_n = Kernel::kWarpsN,
          .launch = day_int8::bench::launch};
}
