// The instances of the kernel that the harness runs.
#include <string>
#include <vector>

#include "kernel.cu"

namespace day {

template <int kStages>
tcd::GemmVariant variant() {
  const auto* kernel = reinterpret_cast<const void*>(&gemm_kernel<kStages, half>);
  return {.name = std::to_string(kStages) + " stages",
          .knobs = {{"stages", kStages}},
          .shape = {kCtaM, kCtaN, kCtaK, kThreads, kernel},
          .warps_m = kWarpsM,
          .warps_n = kWarpsN,
          .dynamic_shared_bytes = kStages * sizeof(Tiles),
          .launch = launch_gemm<kStages, half>,
          .launch_f32 = launch_gemm<kStages, float>};
}

std::vector<tcd::GemmVariant> variants() { return {variant<2>(), variant<3>()}; }

}  // namespace day
