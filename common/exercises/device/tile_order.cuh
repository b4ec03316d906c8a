// What a tile-order submission sees.
#pragma once

namespace tcd {

// A GEMM's CTA tiles, and the device they run on. A tile is 128×128: 128 rows of A, or columns of
// B, are a strip of k · 256 bytes.
struct TileGrid {
  int rows, columns;  // of tiles
  int k;
  int resident;  // CTAs at once
  int l2_mib;    // the cache between them and DRAM
};

struct TilePosition {
  int row, column;
};

}  // namespace tcd
