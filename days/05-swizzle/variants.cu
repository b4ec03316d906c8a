// The instances of the kernel that the harness runs.
#include <string>
#include <vector>

#include "kernel.cu"

namespace day {

template <Layout kLayout, int kStages>
tcd::GemmVariant variant(const char* layout) {
  const auto* kernel = reinterpret_cast<const void*>(&gemm_kernel<kLayout, kStages, half>);
  return {.name = std::string(layout) + ", " + std::to_string(kStages) + " stages",
          .knobs = {{"layout", static_cast<int>(kLayout)}, {"stages", kStages}},
          .shape = {kCtaM, kCtaN, kCtaK, kThreads, kernel},
          .warps_m = kWarpsM,
          .warps_n = kWarpsN,
          .dynamic_shared_bytes = kStages * sizeof(Tiles<kLayout>),
          .headline = kStages == 2,
          .launch = launch_gemm<kLayout, kStages, half>,
          .launch_f32 = launch_gemm<kLayout, kStages, float>};
}

std::vector<tcd::GemmVariant> variants() {
  return {variant<Layout::kRowMajor, 2>("row-major"),
          variant<Layout::kPadded, 2>("padded"),
          variant<Layout::kXorRow, 2>("xor row & 3"),
          variant<Layout::kXorRowPair, 2>("xor row >> 1 & 3"),
          variant<Layout::kPadded, 5>("padded"),
          variant<Layout::kXorRowPair, 5>("xor row >> 1 & 3")};
}

}  // namespace day
