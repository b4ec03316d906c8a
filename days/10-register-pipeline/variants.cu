// The instances of the kernel that the harness runs.
#include <vector>

#include "kernel.cu"

namespace day {

template <Mma kMma, bool kAhead, int kStages, Epilogue kEpilogue = Epilogue::kNone>
tcd::GemmVariant variant(const char* name) {
  const auto* kernel =
      reinterpret_cast<const void*>(&gemm_kernel<kMma, kAhead, kStages, kEpilogue, half>);
  return {.name = name,
          .knobs = {{"mma_k", kMma == Mma::kK16 ? 16 : 8},
                    {"ahead", kAhead},
                    {"stages", kStages},
                    {"epilogue", static_cast<int>(kEpilogue)}},
          .shape = {kCtaM, kCtaN, kCtaK, kThreads, kernel},
          .warps_m = kWarpsM,
          .warps_n = kWarpsN,
          .dynamic_shared_bytes = kStages * sizeof(Tiles),
          .bias = kEpilogue != Epilogue::kNone,
          .relu = kEpilogue == Epilogue::kBiasRelu,
          .group = 8,
          .headline = kAhead && kMma == Mma::kK16 && kStages == 3 && kEpilogue == Epilogue::kNone,
          .on_request = !(kAhead && kMma == Mma::kK16),
          .launch = launch_gemm<kMma, kAhead, kStages, kEpilogue, half>,
          .launch_f32 = launch_gemm<kMma, kAhead, kStages, kEpilogue, float>};
}

std::vector<tcd::GemmVariant> variants() {
  return {variant<Mma::kK16, false, 3>("k16"),
          variant<Mma::kK16, true, 3>("k16, ahead"),
          variant<Mma::kTwoK8, false, 3>("two k8"),
          variant<Mma::kTwoK8, true, 3>("two k8, ahead"),
          variant<Mma::kK16, false, 4>("k16, 4 stages"),
          variant<Mma::kK16, true, 4>("k16, ahead, 4 stages"),
          variant<Mma::kK16, true, 3, Epilogue::kBiasRelu>("k16, ahead, bias + ReLU")};
}

}  // namespace day
