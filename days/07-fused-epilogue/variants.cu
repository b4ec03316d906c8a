// The instances of the kernel that the harness runs.
#include <string>
#include <vector>

#include "kernel.cu"

namespace day {

template <int kStages, Epilogue kEpilogue>
tcd::GemmVariant variant(const char* name) {
  const auto* kernel = reinterpret_cast<const void*>(&gemm_kernel<kStages, kEpilogue, half>);
  return {.name = name,
          .knobs = {{"stages", kStages}, {"epilogue", static_cast<int>(kEpilogue)}},
          .shape = {kCtaM, kCtaN, kCtaK, kThreads, kernel},
          .warps_m = kWarpsM,
          .warps_n = kWarpsN,
          .dynamic_shared_bytes = kStages * sizeof(Tiles),
          .launch = launch_gemm<kStages, kEpilogue, half>,
          .launch_f32 = launch_gemm<kStages, kEpilogue, float>};
}

std::vector<tcd::GemmVariant> variants() {
  return {variant<2, Epilogue::kNone>("no epilogue"), variant<2, Epilogue::kBias>("bias"),
          variant<2, Epilogue::kBiasRelu>("bias + ReLU")};
}

}  // namespace day
