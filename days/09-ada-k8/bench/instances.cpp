#include <utility>

#include "bench/bench_kernel.h"

namespace day::bench {

std::string Instance::unit() const {
  if (min_ctas == 1 && (tile == 1 || tile == 3)) return "no_minimum";
  return std::string(mma == Mma::kK8 ? "k8" : "k16") +
         (accumulator == Accumulator::kF32 ? "_f32" : "_f16") +
         (epilogue == Epilogue::kNone ? "_none" : "_bias_relu");
}

std::string Instance::text() const {
  return "tile " + std::to_string(tile) + (mma == Mma::kK8 ? ", k8" : ", k16") +
         (accumulator == Accumulator::kF32 ? ", f32" : ", f16") +
         (epilogue == Epilogue::kNone ? "" : ", bias + ReLU") +
         (unit() == "no_minimum" ? ", no minimum" : "");
}

size_t Instance::shared_bytes(int layout, int stages) const {
  const int ld = shape.cta_k + (layout == 1 ? 8 : 0);
  return static_cast<size_t>(stages) * (shape.cta_m + shape.cta_n) * ld * sizeof(half);
}

const std::vector<Instance>& all_instances() {
  static const std::vector<Instance> all = [] {
    std::vector<Instance> instances;
    for (auto unit : {k8_f32_none, k8_f32_bias_relu, k8_f16_none, k8_f16_bias_relu, k16_f32_none,
                      k16_f32_bias_relu, k16_f16_none, k16_f16_bias_relu, no_minimum}) {
      for (Instance& instance : unit()) instances.push_back(std::move(instance));
    }
    return instances;
  }();
  return all;
}

}  // namespace day::bench
