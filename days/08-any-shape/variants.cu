// The instances of the kernel that the harness runs, and who chooses between them.
#include <string>
#include <vector>

#include "kernel.cu"

namespace day {

constexpr int kStages = 2;
constexpr int kGroup = 8;  // as Day 07

// Guards cost instructions in every copy and store. Whole tiles, the common case, pay for none.
template <Epilogue kEpilogue, typename Output>
void launch_any(const GemmArguments<Output>& gemm) {
  tcd::require_supported(gemm, kEpilogue != Epilogue::kNone);
  const bool whole = gemm.m % kCtaM == 0 && gemm.n % kCtaN == 0 && gemm.k % kCtaK == 0;
  if (whole && tcd::pairs_aligned(gemm)) {
    launch_gemm<true, kStages, kEpilogue>(gemm);
  } else {
    launch_gemm<false, kStages, kEpilogue>(gemm);
  }
}

template <bool kFull, Epilogue kEpilogue>
tcd::GemmVariant variant(const char* name) {
  const auto* kernel = reinterpret_cast<const void*>(&gemm_kernel<kFull, kStages, kEpilogue, half>);
  return {.name = name,
          .knobs = {{"stages", kStages}, {"epilogue", static_cast<int>(kEpilogue)}},
          .shape = {kCtaM, kCtaN, kCtaK, kThreads, kernel},
          .warps_m = kWarpsM,
          .warps_n = kWarpsN,
          .dynamic_shared_bytes = kStages * sizeof(Tiles),
          .bias = kEpilogue != Epilogue::kNone,
          .relu = kEpilogue == Epilogue::kBiasRelu,
          .group = kGroup,
          .headline = kFull && kEpilogue == Epilogue::kNone,
          .launch = launch_any<kEpilogue, half>,
          .launch_f32 = launch_any<kEpilogue, float>};
}

tcd::GemmVariant guarded() {
  auto always = variant<false, Epilogue::kNone>("guarded");
  always.launch = launch_gemm<false, kStages, Epilogue::kNone, half>;
  always.launch_f32 = launch_gemm<false, kStages, Epilogue::kNone, float>;
  return always;
}

std::vector<tcd::GemmVariant> variants() {
  return {variant<true, Epilogue::kNone>("no epilogue"), variant<true, Epilogue::kBias>("bias"),
          variant<true, Epilogue::kBiasRelu>("bias + ReLU"), guarded()};
}

}  // namespace day
