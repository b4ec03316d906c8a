// The day's kernel with two m16n8k8 for each m16n8k16: compiled apart, so that registers compare.
//
// It needs more registers than the 128 that two CTAs an SM leave a thread: the compiler spills.
// A negative result, kept; Day 09 has the tile on which two m16n8k8 are right.
#include "day.h"
#include "ptx/mma.cuh"

namespace tcd::ptx {

// The same product in two halves of k, summed one after the other.
__device__ inline void mma_two_m16n8k8(float (&d)[4], const uint32_t (&a)[4],
                                       const uint32_t (&b)[2]) {
  mma_m16n8k8(d, {a[0], a[1]}, {b[0]});
  mma_m16n8k8(d, {a[2], a[3]}, {b[1]});
}

}  // namespace tcd::ptx

// kernel.cu's own text, with one call exchanged, in a namespace of its own.
namespace day_k8 {
using day::GemmArguments;
}
#define mma_m16n8k16 mma_two_m16n8k8
#pragma push_macro("day")
#undef day
#define day day_k8
#include "kernel.cu"
#pragma pop_macro("day")

namespace day_k8 {

template <Layout kLayout>
tcd::GemmVariant variant() {
  constexpr int kStages = 2;
  const auto* kernel = reinterpret_cast<const void*>(&gemm_kernel<kLayout, kStages, half>);
  const int layout = static_cast<int>(kLayout);
  return {.name = day::layouts()[layout].name + ", 2 stages, two k8",
          .knobs = {{"layout", layout}, {"stages", kStages}, {"mma_k", 8}},
          .shape = {kCtaM, kCtaN, kCtaK, kThreads, kernel},
          .warps_m = kWarpsM,
          .warps_n = kWarpsN,
          .dynamic_shared_bytes = kStages * sizeof(Tiles<kLayout>),
          .headline = false,
          .on_request = true,
          .launch = launch_gemm<kLayout, kStages, half>,
          .launch_f32 = launch_gemm<kLayout, kStages, float>};
}

}  // namespace day_k8

std::vector<tcd::GemmVariant> day::k8_variants() {
  using day_k8::Layout;
  return {day_k8::variant<Layout::kRowMajor>(), day_k8::variant<Layout::kXorRow>(),
          day_k8::variant<Layout::kXorRowPair>()};
}
