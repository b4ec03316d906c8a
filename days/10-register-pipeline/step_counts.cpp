// What the k-steps of one instance execute. It depends on the shape alone, so a small one will do.
#include "day.h"
#include "harness/device_buffer.h"
#include "harness/emulator_counters.h"

namespace day {

StepCounts count_steps(const tcd::GemmVariant& variant) {
  constexpr int kM = 256, kN = 384, kK = 160, kStepK = 16;
  using Halves = tcd::harness::DeviceBuffer<__half>;
  const Halves a(std::vector<__half>(size_t{kM} * kK)), b(std::vector<__half>(size_t{kK} * kN));
  const Halves d(size_t{kM} * kN);
  tcd::harness::reset_counters();
  variant.launch({kM, kN, kK, a.data(), kK, b.data(), kK, d.data(), kN, nullptr, 1});
  tcd::harness::check_launch("the counted launch");
  StepCounts counts;
  counts.ctas = static_cast<uint64_t>(kM / variant.shape.cta_m) * (kN / variant.shape.cta_n);
  counts.warps = counts.ctas * (variant.shape.threads / 32);
  counts.warp_steps = counts.warps * (kK / kStepK);
  counts.counters = tcd::harness::read_counters();
  return counts;
}

}  // namespace day
