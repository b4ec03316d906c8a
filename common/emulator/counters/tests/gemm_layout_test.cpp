// The bank conflicts of a GEMM's ldmatrix, from the addresses its warps form: the table of layouts
// for a 128×128×32 tile, M = N = K = 4096, 1024 CTAs.
#include <doctest/doctest.h>

#include <initializer_list>

#include "counters/async_copy.h"
#include "counters/shared_wavefronts.h"

namespace tcd::emu {
namespace {

enum class Layout { kRowMajor, kPadded, kXorRow, kXorPair, kXorWrong };

// Byte offset of 16-byte chunk `chunk` (0 to 3) of a row of 32 halves.
uint32_t place(Layout layout, uint32_t row, uint32_t chunk) {
  switch (layout) {
    case Layout::kPadded:
      return row * 80 + chunk * 16;
    case Layout::kXorRow:
      return row * 64 + (chunk ^ (row & 3)) * 16;
    case Layout::kXorPair:
      return row * 64 + (chunk ^ (row >> 1 & 3)) * 16;
    case Layout::kXorWrong:
      return row * 64 + (chunk ^ (row >> 2 & 3)) * 16;
    default:
      return row * 64 + chunk * 16;
  }
}

struct Total {
  uint64_t executed = 0, conflicts = 0;
};

// ldmatrix.x4: 16 rows from `row`, k from 16 * step; lanes 0-15 the left chunk, 16-31 the right.
void load_16x16(Layout layout, uint32_t row, uint32_t step, Total& total) {
  uint32_t addresses[32];
  for (uint32_t lane = 0; lane < 32; ++lane) {
    addresses[lane] = place(layout, row + lane % 16, 2 * step + lane / 16);
  }
  ++total.executed;
  total.conflicts += matrix_wavefronts(addresses, 4).conflicts();
}

// One k-tile of one CTA; warps of 64 × columns in two rows of warps.
Total one_tile(Layout layout, uint32_t columns) {
  Total total;
  for (uint32_t warp_row = 0; warp_row < 128; warp_row += 64) {
    for (uint32_t warp_column = 0; warp_column < 128; warp_column += columns) {
      for (uint32_t step = 0; step < 2; ++step) {
        for (uint32_t m = 0; m < 64; m += 16) load_16x16(layout, warp_row + m, step, total);
        for (uint32_t n = 0; n < columns; n += 16) load_16x16(layout, warp_column + n, step, total);
      }
    }
  }
  return total;
}

constexpr uint64_t kTiles = 128 * 1024;  // k-tiles × CTAs

TEST_CASE("8 warps of 64x32") {
  const auto conflicts = [](Layout l) { return one_tile(l, 32).conflicts * kTiles; };
  CHECK(one_tile(Layout::kRowMajor, 32).executed * kTiles == 12'582'912);
  CHECK(conflicts(Layout::kRowMajor) == 150'994'944);
  CHECK(conflicts(Layout::kPadded) == 0);
  CHECK(conflicts(Layout::kXorRow) == 50'331'648);
  CHECK(conflicts(Layout::kXorPair) == 0);
  CHECK(conflicts(Layout::kXorWrong) == 50'331'648);  // the control: a wrong swizzle shows
}

TEST_CASE("4 warps of 64x64") {
  CHECK(one_tile(Layout::kXorRow, 64).executed * kTiles == 8'388'608);
  CHECK(one_tile(Layout::kXorRow, 64).conflicts * kTiles == 33'554'432);
  CHECK(one_tile(Layout::kXorPair, 64).conflicts * kTiles == 0);
}

// A warp's cp.async: 8 rows of 64 bytes, 4 lanes a row, rows 8192 bytes apart in global memory.
uint32_t write_wavefronts(Layout layout, uint64_t k_bytes) {
  uint32_t shared[32];
  uint64_t global[32];
  for (uint32_t lane = 0; lane < 32; ++lane) {
    shared[lane] = place(layout, lane / 4, lane % 4);
    global[lane] = lane / 4 * 8192 + k_bytes + lane % 4 * 16;
  }
  return bypass_copy_wavefronts(~0u, shared, global).needed;
}

TEST_CASE("Write wavefronts: padding pays where the XOR layouts do not") {
  for (uint32_t k_bytes : {0u, 64u, 128u}) {
    CHECK(write_wavefronts(Layout::kRowMajor, k_bytes) == 8);
    CHECK(write_wavefronts(Layout::kXorRow, k_bytes) == 8);
    CHECK(write_wavefronts(Layout::kXorPair, k_bytes) == 8);
    CHECK(write_wavefronts(Layout::kPadded, k_bytes) == 15);
  }
}

}  // namespace
}  // namespace tcd::emu
