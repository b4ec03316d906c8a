// One m16n8k16 a step, sums in FP32: as on Days 03 to 08.
#include "bench/instances.cuh"

namespace day::bench {

std::vector<Instance> k16_f32_none() {
  return instances<Mma::kK16, Accumulator::kF32, Epilogue::kNone>();
}

}  // namespace day::bench
