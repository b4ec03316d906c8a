// How a kernel divides its output, so that a wrong element can be traced to who computed it.
#pragma once

#include <string>

namespace tcd {

// The m16n8 accumulator tiles of a warp stand side by side in its warp tile.
struct Tiling {
  int cta_m = 64;                  // rows of the output a CTA computes
  int cta_n = 64;                  // columns
  int warps_m = 2;                 // warps of the CTA along M
  int warps_n = 2;                 // and along N
  bool warp_along_n_first = true;  // warp = warp_row * warps_n + warp_col
  bool block_x_along_n = true;     // blockIdx.x counts column tiles, .y row tiles
};

// Throws std::invalid_argument, naming the numbers, unless warps divide the CTA tile into multiples
// of 16 x 8.
void check_tiling(const Tiling& tiling);

// Who owns an output element.
struct ElementOwner {
  int block_x = 0;
  int block_y = 0;
  int warp = 0;
  int lane = 0;
  int tile_row = 0;  // which m16n8 tile of the warp tile
  int tile_col = 0;
  int reg = 0;  // c0..c3 of that tile
};

ElementOwner owner_of_output(const Tiling& tiling, int row, int col);
// "CTA (2, 0), warp 1, lane 5, register c2 of its m16n8 tile (0, 3)"
std::string describe(const ElementOwner& owner);

}  // namespace tcd
