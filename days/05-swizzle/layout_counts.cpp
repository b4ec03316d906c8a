// What one layout costs an instruction. It depends on the layout alone, so a small launch will do.
#include "day.h"
#include "harness/device_buffer.h"
#include "harness/emulator_counters.h"

namespace day {

LayoutCounts count_layout(const tcd::GemmVariant& variant) {
  constexpr int kM = 256, kN = 384, kK = 320;
  using Halves = tcd::harness::DeviceBuffer<__half>;
  const Halves a(std::vector<__half>(size_t{kM} * kK)), b(std::vector<__half>(size_t{kK} * kN));
  const Halves d(size_t{kM} * kN);
  tcd::harness::reset_counters();
  variant.launch({kM, kN, kK, a.data(), kK, b.data(), kK, d.data(), kN, nullptr, 1});
  tcd::harness::check_launch("the kernel");
  const auto counters = tcd::harness::read_counters();
  const auto each = [&](const char* name, const char* of) {
    return static_cast<double>(counters.at(name)) / static_cast<double>(counters.at(of));
  };
  const tcd::GemmShape& shape = variant.shape;
  const int tiles = kM / shape.cta_m * (kN / shape.cta_n) * (kK / shape.cta_k);
  const uint64_t passes = counters.at("ldmatrix_wavefronts") + counters.at("cp_async_wavefronts");
  return {each("ldmatrix_bank_conflicts", "ldmatrix"), each("cp_async_wavefronts", "async_copies"),
          static_cast<double>(passes) / tiles};
}

}  // namespace day
