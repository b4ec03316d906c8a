#include "bench/inputs.h"

#include <algorithm>
#include <cmath>

namespace tcd::bench {

namespace {

std::vector<float> positive_bias(const Size& size) {
  const float shift = std::round(3.0f * std::sqrt(static_cast<float>(size.k)));
  std::vector<float> bias(size.n);
  for (int column = 0; column < size.n; ++column) {
    bias[column] = shift + 0.25f * static_cast<float>(random_bits(3, column) % 33);
  }
  return bias;
}

void copy_to_all(const HalfMatrix& from, std::vector<harness::DeviceBuffer<uint16_t>>& to) {
  to.front().upload(from.bits);
  for (size_t i = 1; i < to.size(); ++i) {
    harness::check(cudaMemcpy(to[i].data(), to.front().data(), from.bits.size() * sizeof(uint16_t),
                              cudaMemcpyDeviceToDevice),
                   "copying the inputs to another set");
  }
}

}  // namespace

std::string Size::text() const {
  return std::to_string(m) + "×" + std::to_string(n) + "×" + std::to_string(k);
}

int sets_for(const Size& size, int l2_bytes) {
  const double set = 2.0 * size.k * (double{1} * size.m + size.n);
  return std::max(2, static_cast<int>(std::ceil(3.0 * l2_bytes / set)));
}

Inputs::Inputs(const Size& size, int sets)
    : size_(size),
      d_(static_cast<size_t>(size.m) * size.n),
      host_bias_(positive_bias(size)),
      bias_(host_bias_) {
  for (int i = 0; i < sets; ++i) {
    a_.emplace_back(static_cast<size_t>(size.m) * size.k);
    b_.emplace_back(static_cast<size_t>(size.n) * size.k);
  }
}

void Inputs::upload(const HalfMatrix& a, const HalfMatrix& b) {
  copy_to_all(a, a_);
  copy_to_all(b, b_);
}

HalfGemm Inputs::next(int group) const {
  const size_t set = turn_++ % a_.size();
  return {size_.m, size_.n,   size_.k, a_[set].as<__half>(), size_.k, b_[set].as<__half>(),
          size_.k, d_.data(), size_.n, bias_.data(),         group};
}

}  // namespace tcd::bench
