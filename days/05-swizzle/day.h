// Day 05's kernel, as its harness sees it.
#pragma once

#include <string>
#include <vector>

#include "harness/gemm.h"
#include "harness/session.h"
#include "harness/shared_memory.h"

namespace day {

using tcd::GemmArguments;

// The four layouts at two stages, and two of them at five, where padding no longer fits every SM.
std::vector<tcd::GemmVariant> variants();
// k8_variants.cu: two m16n8k8 for each m16n8k16, with 4-way conflicts, 2-way and none. On request.
std::vector<tcd::GemmVariant> k8_variants();

// A layout, as the kernel's own address function has it.
struct LayoutMap {
  std::string name;
  int (*chunk_bytes)(int row, int k);  // from the tile's start to the 16-byte chunk of (row, k)
  int rows, columns;                   // of the tile, in halves
};
std::vector<LayoutMap> layouts();

// picture.cpp: the banks drawn before anything is counted.
void show_banks(tcd::harness::Session& session);
// Passes beyond one for each matrix that an ldmatrix.x4 takes in this layout, by the picture: the
// mean over the tile.
double pictured_conflicts(const LayoutMap& layout);

// layout_counts.cpp: one launch at 256×384×320 on the emulated device, where it is counted.
struct LayoutCounts {
  double conflicts_per_ldmatrix = 0, wavefronts_per_copy = 0;
  double passes_per_tile = 0;  // through shared memory, reads and writes, for a CTA's k-tile
};
LayoutCounts count_layout(const tcd::GemmVariant& variant);

}  // namespace day
