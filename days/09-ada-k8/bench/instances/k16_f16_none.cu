// One m16n8k16 a step, sums in FP16: the account's fast and unusable one.
#include "bench/instances.cuh"

namespace day::bench {

std::vector<Instance> k16_f16_none() {
  return instances<Mma::kK16, Accumulator::kF16, Epilogue::kNone>();
}

}  // namespace day::bench
