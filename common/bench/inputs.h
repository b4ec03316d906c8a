// Device buffers of one size: more sets of A and B than the L2 holds.
#pragma once

#include <vector>

#include "bench/candidate.h"
#include "gates/inputs.h"
#include "harness/device_buffer.h"

namespace tcd::bench {

// Every set lies elsewhere in memory; its contents are the same, which no cache can tell.
class Inputs {
 public:
  Inputs(const Size& size, int sets);

  // Copies both to every set.
  void upload(const HalfMatrix& a, const HalfMatrix& b);
  // The next set in turn. D and the bias are the same for all.
  HalfGemm next(int group) const;
  int sets() const { return static_cast<int>(a_.size()); }
  const Size& size() const { return size_; }
  __half* d() const { return d_.data(); }
  // Multiples of 0.25 that keep most sums positive: ReLU then hides no wrong one.
  const std::vector<float>& bias() const { return host_bias_; }

 private:
  Size size_;
  std::vector<harness::DeviceBuffer<uint16_t>> a_, b_;
  harness::DeviceBuffer<__half> d_;
  std::vector<float> host_bias_;
  harness::DeviceBuffer<float> bias_;
  mutable size_t turn_ = 0;
};

// So many that all of A and B together are three times the L2, and at least two.
int sets_for(const Size& size, int l2_bytes);

}  // namespace tcd::bench
