// Day 06's kernel, as its harness sees it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "gates/result.h"
#include "harness/gemm.h"
#include "harness/session.h"
#include "harness/shared_memory.h"

namespace day {

using tcd::GemmArguments;

struct TilePosition {
  int row, column;  // in tiles
};
// kernel.cu: which tile the CTA with this index makes. The kernel and the gate call this one.
__host__ __device__ TilePosition rasterize(int index, int rows, int columns, int group);

// variants.cu: two stages, CTAs in groups of `group` tile rows; 1 is row-major.
tcd::GemmVariant variant(int group);
std::vector<tcd::GemmVariant> variants();  // the five that are compared; 8 is the headline

// bijection.cpp: every grid up to 40×40 in groups of 1 to 41 rows, and the grids of 4096³ and
// 8192³: each tile is made once. The second gate gives the same check a map without its remainder,
// and wants it to object.
std::vector<tcd::GateResult> gate_bijection();

// dram_tables.cpp: the model's tables, and the predictions that they answer.
void show_dram_model(tcd::harness::Session& session, int ctas_per_sm);
void judge_dram_model(tcd::harness::Session& session);
uint64_t model_read_bytes(int m, int n, int k, int group, int resident, uint64_t l2_bytes);

// order_counts.cpp: everything one launch at 640×384×96 counts on the emulated device.
std::map<std::string, uint64_t> count_order(const tcd::GemmVariant& variant);

}  // namespace day
