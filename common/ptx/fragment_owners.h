// The fragment tables read backwards: which lane and register hold a given element of the tile.
// Sections and date: see fragments.h, whose maps these invert (common/gates/tests proves it).
#pragma once

#include "ptx/fragments.h"

namespace tcd::fragment {

// Who holds an element. `element` is the i of a_i, b_i, c_i; `reg` the 32-bit register of the
// operand; `half` 0 for the low and 1 for the high 16 bits (always 0 for an FP32 accumulator).
struct Owner {
  int lane;
  int element;
  int reg;
  int half;
};

TCD_HOST_DEVICE constexpr Owner owner_of_pair(int group, int pair, int element) {
  return {group * 4 + pair, element, element / 2, element % 2};
}

TCD_HOST_DEVICE constexpr Owner owner_of_a_m16n8k8(int row, int col) {
  return owner_of_pair(row % 8, col / 2, (row / 8) * 2 + col % 2);
}

TCD_HOST_DEVICE constexpr Owner owner_of_b_m16n8k8(int row, int col) {
  return owner_of_pair(col, row / 2, row % 2);
}

TCD_HOST_DEVICE constexpr Owner owner_of_a_m16n8k16(int row, int col) {
  return owner_of_pair(row % 8, (col % 8) / 2, (col / 8) * 4 + (row / 8) * 2 + col % 2);
}

TCD_HOST_DEVICE constexpr Owner owner_of_b_m16n8k16(int row, int col) {
  return owner_of_pair(col, (row % 8) / 2, (row / 8) * 2 + row % 2);
}

// FP32 accumulators: c_i is register i.
TCD_HOST_DEVICE constexpr Owner owner_of_c_m16n8(int row, int col) {
  const int element = (row / 8) * 2 + col % 2;
  return {(row % 8) * 4 + col / 2, element, element, 0};
}

// FP16 accumulators: two to a register.
TCD_HOST_DEVICE constexpr Owner owner_of_c_m16n8_f16(int row, int col) {
  return owner_of_pair(row % 8, col / 2, (row / 8) * 2 + col % 2);
}

// The same by shape, for code that treats both. k is 8 or 16.
TCD_HOST_DEVICE constexpr Owner owner_of_a(int k, int row, int col) {
  return k == 8 ? owner_of_a_m16n8k8(row, col) : owner_of_a_m16n8k16(row, col);
}
TCD_HOST_DEVICE constexpr Owner owner_of_b(int k, int row, int col) {
  return k == 8 ? owner_of_b_m16n8k8(row, col) : owner_of_b_m16n8k16(row, col);
}

}  // namespace tcd::fragment
