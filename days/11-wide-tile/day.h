// Day 11's kernel, as its harness sees it.
#pragma once

#include <vector>

#include "harness/gemm.h"
#include "harness/shared_memory.h"

namespace day {

using tcd::GemmArguments;

// variants.cu: the instance this device has the shared memory for, with and without epilogue, and
// beside it the other depth of the tile.
std::vector<tcd::GemmVariant> variants();

}  // namespace day
