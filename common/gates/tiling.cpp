#include "gates/tiling.h"

#include <stdexcept>

#include "ptx/fragment_owners.h"

namespace tcd {

void check_tiling(const Tiling& tiling) {
  const bool counts = tiling.warps_m > 0 && tiling.warps_n > 0;
  if (counts && tiling.cta_m > 0 && tiling.cta_n > 0 &&
      tiling.cta_m % (tiling.warps_m * fragment::kTileM) == 0 &&
      tiling.cta_n % (tiling.warps_n * fragment::kTileN) == 0) {
    return;
  }
  throw std::invalid_argument(
      "a CTA tile of " + std::to_string(tiling.cta_m) + " x " + std::to_string(tiling.cta_n) +
      " cannot be divided over " + std::to_string(tiling.warps_m) + " x " +
      std::to_string(tiling.warps_n) + " warps: each warp tile must be a multiple of 16 x 8");
}

ElementOwner owner_of_output(const Tiling& tiling, int row, int col) {
  const int warp_m = tiling.cta_m / tiling.warps_m;
  const int warp_n = tiling.cta_n / tiling.warps_n;
  const int warp_row = row % tiling.cta_m / warp_m;
  const int warp_col = col % tiling.cta_n / warp_n;
  const int in_row = row % warp_m;
  const int in_col = col % warp_n;
  const fragment::Owner owner = fragment::owner_of_c_m16n8(in_row % 16, in_col % 8);
  ElementOwner result;
  result.block_x = tiling.block_x_along_n ? col / tiling.cta_n : row / tiling.cta_m;
  result.block_y = tiling.block_x_along_n ? row / tiling.cta_m : col / tiling.cta_n;
  result.warp = tiling.warp_along_n_first ? warp_row * tiling.warps_n + warp_col
                                          : warp_col * tiling.warps_m + warp_row;
  result.lane = owner.lane;
  result.tile_row = in_row / 16;
  result.tile_col = in_col / 8;
  result.reg = owner.reg;
  return result;
}

std::string describe(const ElementOwner& owner) {
  return "CTA (" + std::to_string(owner.block_x) + ", " + std::to_string(owner.block_y) +
         "), warp " + std::to_string(owner.warp) + ", lane " + std::to_string(owner.lane) +
         ", register c" + std::to_string(owner.reg) + " of its m16n8 tile (" +
         std::to_string(owner.tile_row) + ", " + std::to_string(owner.tile_col) + ")";
}

}  // namespace tcd
