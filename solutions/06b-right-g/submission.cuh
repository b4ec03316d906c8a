// 06b: how many tile rows make a group, for any GEMM on any card.
//
// CTAs with neighbouring numbers run together, `resident` of them at once, and share strips of A
// and B through L2.
#pragma once

#include "exercises/device/tile_order.cuh"

namespace {

// ---- the hole: one function, about six lines

// G for this grid on this device, 1 or more.
// The G strips of A are read by one wave after the other, so they should stay in L2 while strips of
// B pass by: three quarters for A leave room for these. A cache that cannot even hold what one wave
// reads keeps nothing, and then the wave itself should be small: as square as it gets.
__device__ int group_for(const tcd::TileGrid& grid) {
  const long long strip_bytes = grid.k * 256ll;
  const auto strips = int((static_cast<long long>(grid.l2_mib) << 20) / strip_bytes);
  const auto square = int(lroundf(sqrtf(float(grid.resident))));
  return max(strips * 3 / 4, square);
}

// ---- end of the hole

// Day 06's map.
__device__ tcd::TilePosition tile_at(int index, const tcd::TileGrid& grid) {
  const int group = min(group_for(grid), grid.rows);
  const int first_row = index / (group * grid.columns) * group;
  const int rows_here = min(group, grid.rows - first_row);
  const int in_group = index - first_row * grid.columns;
  return {first_row + in_group % rows_here, in_group / rows_here};
}

}  // namespace
