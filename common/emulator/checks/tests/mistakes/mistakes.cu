// All of the mistakes, one translation unit.
#include "checks/tests/mistakes/barriers.cuh"
#include "checks/tests/mistakes/copies.cuh"
#include "checks/tests/mistakes/ctas.cuh"
#include "checks/tests/mistakes/gemm.cuh"
#include "checks/tests/mistakes/lanes.cuh"
#include "checks/tests/mistakes/launches.cuh"
#include "checks/tests/mistakes/memory.cuh"

std::vector<Mistake> all_mistakes() {
  std::vector<Mistake> all;
  for (const std::vector<Mistake>& some :
       {barrier_mistakes(), lane_mistakes(), copy_mistakes(), gemm_mistakes(), cta_mistakes(),
        memory_mistakes(), launch_mistakes()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

void parse_kernels() {
  cudaFuncAttributes attributes;
  const auto* kernel =
      reinterpret_cast<const void*>(mistakes_test::gemm_kernel<mistakes_test::Slip::kNone>);
  if (cudaFuncGetAttributes(&attributes, kernel) != cudaSuccess) {
    throw std::runtime_error("the kernels of the mistakes cannot be read");
  }
}
