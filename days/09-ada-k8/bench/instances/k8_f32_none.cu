// Two m16n8k8 a step, sums in FP32: Day 09's.
#include "bench/instances.cuh"

namespace day::bench {

std::vector<Instance> k8_f32_none() {
  return instances<Mma::kK8, Accumulator::kF32, Epilogue::kNone>();
}

}  // namespace day::bench
