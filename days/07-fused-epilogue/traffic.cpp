// Bytes and sectors, as the emulated device counts them.
#include "day.h"
#include "harness/device_buffer.h"
#include "harness/emulator_counters.h"

namespace day {

namespace {

using Halves = tcd::harness::DeviceBuffer<__half>;
using Floats = tcd::harness::DeviceBuffer<float>;

}  // namespace

std::map<std::string, uint64_t> count_separate(int m, int n) {
  const Halves d(std::vector<__half>(size_t(m) * n));
  const Floats bias(std::vector<float>(n, 1.0f));
  tcd::harness::reset_counters();
  launch_bias_relu({m, n, 0, nullptr, 0, nullptr, 0, d.data(), n, bias.data(), 1});
  tcd::harness::check_launch("the separate kernel");
  return tcd::harness::read_counters();
}

std::map<std::string, uint64_t> count_variant(const tcd::GemmVariant& variant, int m, int n,
                                              int k) {
  const Halves a(std::vector<__half>(size_t(m) * k)), b(std::vector<__half>(size_t(k) * n));
  const Halves d(std::vector<__half>(size_t(m) * n));
  const Floats bias(std::vector<float>(n, 1.0f));
  tcd::harness::reset_counters();
  variant.launch({m, n, k, a.data(), k, b.data(), k, d.data(), n, bias.data(), 1});
  tcd::harness::check_launch("the kernel");
  return tcd::harness::read_counters();
}

}  // namespace day
