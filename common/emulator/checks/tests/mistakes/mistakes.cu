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
