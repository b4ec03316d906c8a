// Two m16n8k8 a step, sums in FP16.
#include "bench/instances.cuh"

namespace day::bench {

std::vector<Instance> k8_f16_none() {
  return instances<Mma::kK8, Accumulator::kF16, Epilogue::kNone>();
}

}  // namespace day::bench
