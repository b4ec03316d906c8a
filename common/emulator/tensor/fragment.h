// Who holds what: the fragment layouts of mma.sync and wmma as formulae.
//
// Source: PTX ISA 9.0, 9.7.14.5 "Matrix multiply-accumulate operation using mma instruction",
// figures of m16n8k8 and m16n8k16 for .f16. A lane belongs to the group lane / 4 and is number
// lane % 4 in it. `element` counts 16-bit halves for A and B (register = element / 2, low half
// first) and accumulator elements for C and D.
#pragma once

namespace tcd::emu {

struct Cell {
  int row, col;
  friend constexpr bool operator==(const Cell&, const Cell&) = default;
};

constexpr int group_of(int lane) { return lane / 4; }
constexpr int in_group(int lane) { return lane % 4; }

// A, 16 x k (k = 8: elements 0..3, k = 16: elements 0..7).
constexpr Cell a_cell(int lane, int element) {
  int row = group_of(lane) + 8 * ((element / 2) % 2);
  return {row, 2 * in_group(lane) + element % 2 + 8 * (element / 4)};
}
// B, k x 8 (k = 8: elements 0..1, k = 16: elements 0..3).
constexpr Cell b_cell(int lane, int element) {
  return {2 * in_group(lane) + element % 2 + 8 * (element / 2), group_of(lane)};
}
// C and D, 16 x 8: elements 0..3. As .f16, register 0 holds elements 0 and 1.
constexpr Cell c_cell(int lane, int element) {
  return {group_of(lane) + 8 * (element / 2), 2 * in_group(lane) + element % 2};
}

}  // namespace tcd::emu
