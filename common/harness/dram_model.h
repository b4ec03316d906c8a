// How many bytes a tiled GEMM reads from DRAM: an LRU model of the L2 cache.
//
// The unit is a k-slice: what one CTA copies of A, or of B, for one k-tile (8 KiB for 128×32
// halves). CTAs run in waves of as many as the device holds; those of a wave advance through k in
// step, each touching its slice of A and then of B. A slice that is not among the most recently
// used ones that fit in L2 is read from DRAM.
//
// A model, not a measurement. It takes L2 as fully associative and all of it as available, CTAs as
// never drifting apart, and stores of C as passing by. On the RTX 4060 Laptop of the Ada account it
// gives 8.86 and 4.74 GB where the profiler showed 9.16 and 4.70 (8192³), and 0.75 GB where the
// profiler showed 0.53 (4096³). Why it misses the last one is not known; at 4096³ A and B together
// are just twice the cache, where small differences in order and replacement decide most. On an
// H200, whose counter it was never tuned on, it is within 2 % at 8192³ for four orders, and within
// 4 % at 4096³ too when given half of the 60 MiB (notebooks/data/ncu06-h200.json).
#pragma once

#include <cstdint>
#include <functional>

namespace tcd::harness {

struct TilePosition {
  uint32_t row = 0, column = 0;  // in CTA tiles
};

struct DramModelInput {
  uint32_t rows = 1, columns = 1;  // CTA tiles of C
  uint32_t k_slices = 1;           // k-tiles
  uint32_t a_slice_bytes = 128 * 32 * 2;
  uint32_t b_slice_bytes = 128 * 32 * 2;
  uint32_t resident = 1;  // CTAs at once: SMs × CTAs per SM
  uint64_t l2_bytes = 0;
  std::function<TilePosition(uint64_t index)> order;  // of CTA index, 0 to rows * columns - 1
};

struct DramTraffic {
  uint64_t read_bytes = 0;        // of A and B, by the model
  uint64_t compulsory_bytes = 0;  // A and B once
  double times_compulsory() const {
    return static_cast<double>(read_bytes) / static_cast<double>(compulsory_bytes);
  }
};

// Throws std::invalid_argument with the field and its value: a size of 0, no order, an order that
// leaves the grid. Time: about 30 ns for each CTA and k-slice.
DramTraffic model_dram_traffic(const DramModelInput& input);

// Groups of `group` tile rows, walked column by column; 1 is row-major. A bijection for every grid:
// the last group may have fewer rows.
TilePosition grouped_tile(uint64_t index, uint32_t rows, uint32_t columns, uint32_t group);

}  // namespace tcd::harness
