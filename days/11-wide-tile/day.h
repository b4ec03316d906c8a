// Day 11's kernel, as its harness sees it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/gemm.h"
#include "harness/session.h"
#include "harness/shared_memory.h"

namespace day {

using tcd::GemmArguments;

// variants.cu: the instance this device has the shared memory for, with and without epilogue, and
// beside it the other depth of the tile.
std::vector<tcd::GemmVariant> variants();

// counts.cpp: what the page works out by hand for one launch, of tiles that `ctas` CTAs share. In
// warp instructions, as the counters have them.
struct Expected {
  uint64_t mma, ldmatrix, copies, copy_bytes, copy_wavefronts, barriers, stores, store_sectors;
};
Expected expected(const tcd::GemmShape& shape, int m, int n, int k, int ctas);

// One launch on zeros, on the emulated device.
std::map<std::string, uint64_t> count_launch(const tcd::GemmVariant& variant, int m, int n, int k);

// dram_table.cpp: what A and B cost in DRAM reads by the model, beside Day 09's tile.
void show_dram_model(tcd::harness::Session& session);
void judge_dram_model(tcd::harness::Session& session);

}  // namespace day
