// The kinds of exercise: what is launched, with what, and the gates on what came out. Each stops at
// the first gate that fails: nothing behind it is worth reading before that is mended.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "exercises/manifest.h"
#include "exercises/workbench.h"
#include "gates/result.h"

namespace tcd::exercises {

// The kind the manifest names.
std::vector<GateResult> judge_kind(const Manifest& manifest, Workbench& bench, uint64_t seed);

// One warp loads one tile by the submission's map, multiplies it, and stores it by the same map.
// Gates: "fragment ownership", "product", "guard bands".
std::vector<GateResult> judge_fragment_map(const Manifest& manifest, Workbench& bench,
                                           uint64_t seed);

// A whole GEMM. Gates, for each shape: "product M×N×K", "guard bands M×N×K"; with bias and ReLU
// "a NaN stays one" after the last.
std::vector<GateResult> judge_gemm(const Manifest& manifest, Workbench& bench, uint64_t seed);

// Which tile each CTA makes. Gates: "bijection", then "DRAM NAME" for each case: what the model of
// the L2 cache (harness/dram_model.h) reads in that order.
std::vector<GateResult> judge_tile_order(const Manifest& manifest, Workbench& bench);

// One warp adds the same A × B to several accumulator tiles. Gate: "chains".
std::vector<GateResult> judge_issue_rate(const Manifest& manifest, Workbench& bench, uint64_t seed);

// So many shapes that the exercise does not have, whole tiles, the same for the same seed.
std::vector<std::array<int, 3>> draw_shapes(const GemmSetup& setup, uint64_t seed, uint64_t count);

}  // namespace tcd::exercises
