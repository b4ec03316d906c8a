// Day 04's kernel, as its harness sees it.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/gemm.h"
#include "harness/shared_memory.h"

namespace day {

using tcd::GemmArguments;

std::vector<tcd::GemmVariant> variants();  // 1 to 6 stages

// depth_counts.cpp: one launch at 256×384×320 on the emulated device, where it is counted.
struct DepthCounts {
  uint64_t warp_tiles = 0;  // k-tiles × warps × CTAs
  uint64_t async_copies = 0, barriers = 0;
  uint64_t copies_through_registers = 0;  // shared stores: the old way
};
DepthCounts count_depth(const tcd::GemmVariant& variant);

}  // namespace day
