// The instances of the kernel that the harness runs, and which of them this device gets.
#include <vector>

#include "kernel.cu"

namespace day {

constexpr int kStages = 3;

// 0 without a device: nothing runs there, and the harness says so.
int device_has(cudaDeviceAttr attribute) {
  int device = 0, value = 0;
  const bool known = cudaGetDevice(&device) == cudaSuccess &&
                     cudaDeviceGetAttribute(&value, attribute, device) == cudaSuccess;
  return known ? value : 0;
}

// 160 KiB: an A100 and an H200 have it, a GeForce card has 99.
bool deep_tile_fits() {
  return device_has(cudaDevAttrMaxSharedMemoryPerBlockOptin) >=
         static_cast<int>(sizeof(Shared<64, kStages>));
}

// S CTAs at once in groups of G rows want 128·G rows of A and 256·S/G columns of B: fewest at
// G = √2S, which is 7 for 24 SMs and 16 for 132.
int best_group() { return device_has(cudaDevAttrMultiProcessorCount) < 64 ? 8 : 16; }

template <int kCtaK, Epilogue kEpilogue>
tcd::GemmVariant variant(const char* name, bool chosen) {
  const auto* kernel = reinterpret_cast<const void*>(&gemm_kernel<kCtaK, kStages, kEpilogue, half>);
  return {
      .name = name,
      .knobs = {{"cta_k", kCtaK}, {"stages", kStages}, {"epilogue", static_cast<int>(kEpilogue)}},
      .shape = {kCtaM, kCtaN, kCtaK, kThreads, kernel},
      .warps_m = kWarpsM,
      .warps_n = kWarpsN,
      .dynamic_shared_bytes = sizeof(Shared<kCtaK, kStages>),
      .bias = kEpilogue != Epilogue::kNone,
      .relu = kEpilogue == Epilogue::kBiasRelu,
      .group = best_group(),
      .headline = chosen && kEpilogue == Epilogue::kNone,
      .launch = launch_gemm<kCtaK, kStages, kEpilogue, half>,
      .launch_f32 = launch_gemm<kCtaK, kStages, kEpilogue, float>};
}

std::vector<tcd::GemmVariant> variants() {
  const bool deep = deep_tile_fits();
  return {variant<64, Epilogue::kNone>("128×256×64", deep),
          variant<64, Epilogue::kBiasRelu>("128×256×64, bias + ReLU", deep),
          variant<32, Epilogue::kNone>("128×256×32", !deep),
          variant<32, Epilogue::kBiasRelu>("128×256×32, bias + ReLU", !deep)};
}

}  // namespace day
