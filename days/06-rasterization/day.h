// Day 06's kernel, as its harness sees it.
#pragma once

#include <vector>

#include "harness/gemm.h"
#include "harness/shared_memory.h"

namespace day {

using tcd::GemmArguments;

struct TilePosition {
  int row, column;  // in tiles
};
// kernel.cu: which tile the CTA with this index makes.
__host__ __device__ TilePosition rasterize(int index, int rows, int columns, int group);

std::vector<tcd::GemmVariant> variants();

}  // namespace day
