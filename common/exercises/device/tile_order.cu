// The kernel around a tile-order submission: asks it for every CTA's tile, one grid a block.
#include "submission.cuh"

extern "C" __global__ void place(const tcd::TileGrid* grids, tcd::TilePosition* to,
                                 long long stride) {
  const tcd::TileGrid grid = grids[blockIdx.x];
  for (int i = threadIdx.x; i < grid.rows * grid.columns; i += blockDim.x) {
    to[blockIdx.x * stride + i] = tile_at(i, grid);
  }
}
