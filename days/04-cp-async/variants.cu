// The instances of the kernel that the harness runs.
#include <string>
#include <vector>

#include "kernel.cu"

namespace day {

template <int kStages>
tcd::GemmVariant variant() {
  const auto* kernel = reinterpret_cast<const void*>(&gemm_kernel<kStages, half>);
  return {.name = std::to_string(kStages) + (kStages == 1 ? " stage" : " stages"),
          .knobs = {{"stages", kStages}},
          .shape = {kCtaM, kCtaN, kCtaK, kThreads, kernel},
          .warps_m = kWarpsM,
          .warps_n = kWarpsN,
          .dynamic_shared_bytes = kStages * sizeof(Tiles),
          .headline = kStages == 2,
          .launch = launch_gemm<kStages, half>,
          .launch_f32 = launch_gemm<kStages, float>};
}

std::vector<tcd::GemmVariant> variants() {
  return {variant<1>(), variant<2>(), variant<3>(), variant<4>(), variant<5>(), variant<6>()};
}

}  // namespace day
