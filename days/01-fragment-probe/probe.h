// What a probe hands back: every register of one warp, by lane.
#pragma once

#include <vector>

#include "gates/matrix.h"
#include "ptx/fragments.h"

namespace day {

// [lane][element], halves widened to float. K is 8 or 16.
template <int K>
struct WarpRegisters {
  float a[32][tcd::fragment::a_elements(K)];
  float b[32][tcd::fragment::b_elements(K)];
  float d[32][tcd::fragment::kAccumulators];
};

// One mma.sync.m16n8kK for each pair of tiles, one warp each, D starting from zero. a: 16×K
// row-major, b: K×8 row-major, dense. K = 16 needs sm_80. Throws CudaError.
template <int K>
std::vector<WarpRegisters<K>> run_probe(const std::vector<tcd::HalfMatrix>& a,
                                        const std::vector<tcd::HalfMatrix>& b);

}  // namespace day
