// What the ldmatrix probe hands back: every register of one warp, by lane.
#pragma once

#include <array>

#include "ptx/fragments.h"

namespace day {

enum class Load { kX1, kX2, kX4, kX4Trans };

TCD_HOST_DEVICE constexpr int matrices_of(Load load) {
  return load == Load::kX1 ? 1 : load == Load::kX2 ? 2 : 4;
}

constexpr int kTileRows = 8, kTileColumns = 8;

// Four 8×8 tiles lie one after the other in shared memory; every cell holds its own number.
constexpr int cell_value(int tile, int row, int column) {
  return (tile * kTileRows + row) * kTileColumns + column;
}

// [lane][register][half], halves widened to float; NaN where the load has no such register.
using LoadedRegisters = std::array<std::array<std::array<float, 2>, 4>, 32>;

// One ldmatrix by one warp. tile_order[i] is the tile whose rows are named for register i.
// Throws CudaError.
LoadedRegisters run_load(Load load, const std::array<int, 4>& tile_order);

}  // namespace day
