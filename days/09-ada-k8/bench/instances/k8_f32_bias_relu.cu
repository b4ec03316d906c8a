// Two m16n8k8 a step, sums in FP32, bias and ReLU before the store.
#include "bench/instances.cuh"

namespace day::bench {

std::vector<Instance> k8_f32_bias_relu() {
  return instances<Mma::kK8, Accumulator::kF32, Epilogue::kBiasRelu>();
}

}  // namespace day::bench
