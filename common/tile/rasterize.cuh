// The order in which CTAs take the tiles of D: Day 06's, unchanged since.
#pragma once

namespace tcd::tile {

struct TilePosition {
  int row, column;  // in tiles
};

// Tile `index` of rows × columns tiles: groups of `group` tile rows, walked column by column.
// group = 1 is row-major. The last group may have fewer rows; the map stays a bijection.
__host__ __device__ inline TilePosition rasterize(int index, int rows, int columns, int group) {
  const int first_row = index / (group * columns) * group;
  const int rows_here = rows - first_row < group ? rows - first_row : group;
  const int in_group = index - first_row * columns;
  return {first_row + in_group % rows_here, in_group / rows_here};
}

}  // namespace tcd::tile
