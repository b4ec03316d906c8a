// The instances of the kernel that the harness runs.
#include <string>
#include <vector>

#include "kernel.cu"

namespace day {

std::vector<tcd::GemmVariant> variants() {
  const auto* kernel = reinterpret_cast<const void*>(&gemm_kernel<half>);
  return {{.name = "128×128×32",
           .shape = {kCtaM, kCtaN, kCtaK, kThreads, kernel},
           .warps_m = kWarpsM,
           .warps_n = kWarpsN,
           .launch = launch_gemm<half>,
           .launch_f32 = launch_gemm<float>}};
}

}  // namespace day
