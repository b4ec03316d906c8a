// One m16n8k16 a step, sums in FP16, bias and ReLU before the store.
#include "bench/instances.cuh"

namespace day::bench {

std::vector<Instance> k16_f16_bias_relu() {
  return instances<Mma::kK16, Accumulator::kF16, Epilogue::kBiasRelu>();
}

}  // namespace day::bench
