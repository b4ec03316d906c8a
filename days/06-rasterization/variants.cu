// The instances of the kernel that the harness runs: one kernel, told different orders.
#include <string>
#include <vector>

#include "kernel.cu"

namespace day {

constexpr int kStages = 2;

template <typename Output>
auto launch_in_groups_of(int group) {
  return [group](GemmArguments<Output> gemm) {
    gemm.group = group;
    launch_gemm<kStages, Output>(gemm);
  };
}

tcd::GemmVariant variant(int group) {
  const auto* kernel = reinterpret_cast<const void*>(&gemm_kernel<kStages, half>);
  return {.name = group == 1 ? "row-major" : "G = " + std::to_string(group),
          .knobs = {{"stages", kStages}, {"group", group}},
          .shape = {kCtaM, kCtaN, kCtaK, kThreads, kernel},
          .warps_m = kWarpsM,
          .warps_n = kWarpsN,
          .dynamic_shared_bytes = kStages * sizeof(Tiles),
          .group = group,
          .headline = group == 8,
          .launch = launch_in_groups_of<half>(group),
          .launch_f32 = launch_in_groups_of<float>(group)};
}

std::vector<tcd::GemmVariant> variants() {
  return {variant(1), variant(2), variant(3), variant(8), variant(16)};
}

}  // namespace day
