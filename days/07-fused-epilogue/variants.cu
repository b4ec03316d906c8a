// The instances of the kernel that the harness runs, fused and in two kernels.
#include <string>
#include <vector>

#include "kernel.cu"
#include "separate.cuh"

namespace day {

constexpr int kStages = 2;
constexpr int kGroup = 8;  // Day 06's choice for 4096³ and 8192³ on an RTX 4060 Laptop

template <Epilogue kEpilogue>
tcd::GemmVariant variant(const char* name) {
  const auto* kernel = reinterpret_cast<const void*>(&gemm_kernel<kStages, kEpilogue, half>);
  return {.name = name,
          .knobs = {{"stages", kStages}, {"epilogue", static_cast<int>(kEpilogue)}},
          .shape = {kCtaM, kCtaN, kCtaK, kThreads, kernel},
          .warps_m = kWarpsM,
          .warps_n = kWarpsN,
          .dynamic_shared_bytes = kStages * sizeof(Tiles),
          .bias = kEpilogue != Epilogue::kNone,
          .relu = kEpilogue == Epilogue::kBiasRelu,
          .group = kGroup,
          .headline = kEpilogue == Epilogue::kBiasRelu,
          .launch = launch_gemm<kStages, kEpilogue, half>,
          .launch_f32 = launch_gemm<kStages, kEpilogue, float>};
}

template <Epilogue kEpilogue, typename Output>
void launch_both(const GemmArguments<Output>& gemm) {
  launch_gemm<kStages, Epilogue::kNone, Output>(gemm);
  launch_epilogue<kEpilogue, Output>(gemm);
}

template <Epilogue kEpilogue>
tcd::GemmVariant separate(const char* name) {
  tcd::GemmVariant two = variant<kEpilogue>(name);
  two.shape.kernel = reinterpret_cast<const void*>(&gemm_kernel<kStages, Epilogue::kNone, half>);
  two.separate = true;
  two.headline = false;
  two.launch = launch_both<kEpilogue, half>;
  two.launch_f32 = launch_both<kEpilogue, float>;
  return two;
}

std::vector<tcd::GemmVariant> variants() {
  return {variant<Epilogue::kNone>("no epilogue"), variant<Epilogue::kBias>("bias"),
          variant<Epilogue::kBiasRelu>("bias + ReLU"), separate<Epilogue::kBias>("bias, unfused"),
          separate<Epilogue::kBiasRelu>("bias + ReLU, unfused")};
}

void launch_bias_relu(const GemmArguments<half>& gemm) {
  launch_epilogue<Epilogue::kBiasRelu, half>(gemm);
}

}  // namespace day
