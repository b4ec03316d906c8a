#include "counters/shared_wavefronts.h"

#include <algorithm>

#include "counters/conflict_degree.h"

namespace tcd::emu {
namespace {

bool same_at_distance(const uint32_t* addresses, uint32_t mask, uint32_t first, uint32_t lanes,
                      uint32_t distance) {
  for (uint32_t i = first; i < first + lanes; ++i) {
    if ((mask >> i & 1) == 0 || addresses[i] != addresses[i ^ distance]) return false;
  }
  return true;
}

bool merges(const uint32_t* addresses, uint32_t mask, uint32_t first, uint32_t lanes) {
  return same_at_distance(addresses, mask, first, lanes, 1) ||
         same_at_distance(addresses, mask, first, lanes, 2);
}

Wavefronts wavefronts(uint32_t mask, const uint32_t* addresses, uint32_t bytes, bool may_merge) {
  const uint32_t unit = std::max(bytes, 4u);
  const uint32_t lanes = kBankLineBytes / unit;
  Wavefronts sum;
  for (uint32_t first = 0; first < 32;) {
    const bool merged = may_merge && lanes < 32 && first % (2 * lanes) == 0 &&
                        merges(addresses, mask, first, 2 * lanes);
    const uint32_t size = merged ? 2 * lanes : lanes;
    const uint32_t needed = conflict_degree(addresses, mask & lane_range(first, size), unit);
    sum.needed += needed;
    sum.ideal += needed != 0;
    first += size;
  }
  return sum;
}

}  // namespace

Wavefronts shared_load_wavefronts(uint32_t mask, const uint32_t* addresses, uint32_t bytes) {
  return wavefronts(mask, addresses, bytes, true);
}

Wavefronts shared_store_wavefronts(uint32_t mask, const uint32_t* addresses, uint32_t bytes) {
  return wavefronts(mask, addresses, bytes, false);
}

Wavefronts matrix_wavefronts(const uint32_t* rows, uint32_t matrices) {
  Wavefronts sum{0, matrices};
  for (uint32_t m = 0; m < matrices; ++m)
    sum.needed += conflict_degree(rows, lane_range(8 * m, 8), 16);
  return sum;
}

}  // namespace tcd::emu
