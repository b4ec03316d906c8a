// The instances of the kernel that the harness runs, and the layouts' addresses for the picture.
#include <string>
#include <vector>

#include "kernel.cu"

namespace day {

template <Layout kLayout>
int chunk_bytes(int row, int k) {
  static Operand<kLayout> tile;  // its address function is asked, its elements are not
  return static_cast<int>(tile.chunk(row, k) - tile.data) * static_cast<int>(sizeof(half));
}

std::vector<LayoutMap> layouts() {
  return {{"row-major", chunk_bytes<Layout::kRowMajor>, kCtaM, kCtaK},
          {"padded", chunk_bytes<Layout::kPadded>, kCtaM, kCtaK},
          {"xor row & 3", chunk_bytes<Layout::kXorRow>, kCtaM, kCtaK},
          {"xor row >> 1 & 3", chunk_bytes<Layout::kXorRowPair>, kCtaM, kCtaK}};
}

template <Layout kLayout, int kStages>
tcd::GemmVariant variant(bool headline = false) {
  const auto* kernel = reinterpret_cast<const void*>(&gemm_kernel<kLayout, kStages, half>);
  const int layout = static_cast<int>(kLayout);
  return {.name = layouts()[layout].name + ", " + std::to_string(kStages) + " stages",
          .knobs = {{"layout", layout}, {"stages", kStages}, {"mma_k", kMmaK}},
          .shape = {kCtaM, kCtaN, kCtaK, kThreads, kernel},
          .warps_m = kWarpsM,
          .warps_n = kWarpsN,
          .dynamic_shared_bytes = kStages * sizeof(Tiles<kLayout>),
          .headline = headline,
          .launch = launch_gemm<kLayout, kStages, half>,
          .launch_f32 = launch_gemm<kLayout, kStages, float>};
}

// The worst and the best layout run at full size unasked.
std::vector<tcd::GemmVariant> variants() {
  return {variant<Layout::kRowMajor, 2>(true), variant<Layout::kPadded, 2>(),
          variant<Layout::kXorRow, 2>(),       variant<Layout::kXorRowPair, 2>(true),
          variant<Layout::kPadded, 5>(),       variant<Layout::kXorRowPair, 5>()};
}

}  // namespace day
