// What one depth of the pipeline executes. It depends on the shape alone, so a small one will do.
#include "day.h"
#include "harness/device_buffer.h"
#include "harness/emulator_counters.h"

namespace day {

DepthCounts count_depth(const tcd::GemmVariant& variant) {
  constexpr int kM = 256, kN = 384, kK = 320;
  using Halves = tcd::harness::DeviceBuffer<__half>;
  const Halves a(std::vector<__half>(size_t{kM} * kK)), b(std::vector<__half>(size_t{kK} * kN));
  const Halves d(size_t{kM} * kN);
  tcd::harness::reset_counters();
  variant.launch({kM, kN, kK, a.data(), kK, b.data(), kK, d.data(), kN, nullptr, 1});
  tcd::harness::check_launch("the kernel");
  const auto counters = tcd::harness::read_counters();
  const tcd::GemmShape& shape = variant.shape;
  DepthCounts counts;
  counts.warp_tiles = static_cast<uint64_t>(kM / shape.cta_m) * (kN / shape.cta_n) *
                      (kK / shape.cta_k) * (shape.threads / 32);
  counts.async_copies = counters.at("async_copies");
  counts.barriers = counters.at("barriers");
  counts.copies_through_registers = counters.at("shared_stores");
  return counts;
}

}  // namespace day
