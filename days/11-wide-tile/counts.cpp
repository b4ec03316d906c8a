// What one launch executes, counted by the emulated device; and what it should.
#include "day.h"
#include "harness/device_buffer.h"
#include "harness/emulator_counters.h"

namespace day {

Expected expected(const tcd::GemmShape& shape, int m, int n, int k, int ctas) {
  constexpr uint64_t kMma = 16 * 8 * 16, kChunkBytes = 16;
  const uint64_t elements = uint64_t(m) * n, warps = shape.threads / 32;
  const uint64_t tiles = elements / (uint64_t(shape.cta_m) * shape.cta_n);
  const uint64_t k_tiles = tiles * (k / shape.cta_k);
  Expected counts{};
  counts.mma = elements * k / kMma;
  // 8 for 32 mma; and each CTA loads the fragments of its last k-step's successor, which is nobody.
  counts.ldmatrix = counts.mma / 4 + ctas * warps * 8;
  counts.copy_bytes = k_tiles * (shape.cta_m + shape.cta_n) * shape.cta_k * 2;
  counts.copies = counts.copy_bytes / (32 * kChunkBytes);
  // A copy is written row by row: lines of 128 bytes are 4 passes for 32 lanes, lines of 64 are 8.
  counts.copy_wavefronts = counts.copies * (shape.cta_k == 64 ? 4 : 8);
  counts.barriers = (k_tiles + ctas) * warps;
  counts.stores = elements * 2 / (32 * 16);
  counts.store_sectors = elements * 2 / 32;
  return counts;
}

std::map<std::string, uint64_t> count_launch(const tcd::GemmVariant& variant, int m, int n, int k) {
  using Halves = tcd::harness::DeviceBuffer<__half>;
  const Halves a(std::vector<__half>(size_t(m) * k)), b(std::vector<__half>(size_t(k) * n));
  const Halves d(size_t(m) * n);
  const tcd::harness::DeviceBuffer<float> bias(std::vector<float>(n, 1.0f));
  tcd::harness::reset_counters();
  variant.launch({m, n, k, a.data(), k, b.data(), k, d.data(), n, bias.data(), 2});
  tcd::harness::check_launch("the kernel");
  return tcd::harness::read_counters();
}

}  // namespace day
