// The gates of Day 1: do the registers hold what the PTX tables say? (PTX ISA sections and date:
// ptx/fragments.h.) The device only dumps registers; the host does all the naming.
#pragma once

#include <cstdint>
#include <span>

#include "gates/result.h"
#include "ptx/fragments.h"

namespace tcd {

// Every cell of both tiles holds another value, all exact in FP16.
// k = 8: A is row * 8 + col, B is 200 + row * 8 + col. k = 16: A is row * 16 + col, B 300 + ….
constexpr int probe_value_a(int k, int row, int col) { return row * k + col; }
constexpr int probe_value_b(int k, int row, int col) {
  return (k == 8 ? 200 : 300) + row * fragment::kTileN + col;
}

// a: [32][a_elements(k)], b: [32][b_elements(k)], as loaded from those tiles; k is 8 or 16.
// Fill both with NaN first. Passes with "all 192 elements match the PTX tables" (384 for k = 16);
// a failure names the first wrong lane, register and half, and the cell it received instead.
GateResult ownership_gate(int k, std::span<const float> a, std::span<const float> b);

// C/D by one-hot products. For product p = r * 8 + c, A is 1 only at (r, one_hot_k(k, p)) and B
// only at (one_hot_k(k, p), c), so D is 1 only at (r, c). d: [128][32][4], the accumulators.
constexpr int one_hot_k(int k, int product) { return product % k; }
GateResult accumulator_gate(int k, std::span<const float> d);

}  // namespace tcd
