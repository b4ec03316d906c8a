#include "tensor/wmma_layout.h"

namespace tcd::emu {
namespace {

Cell transposed(Cell c) { return {c.col, c.row}; }
Cell below(Cell c, int rows) { return {c.row + rows, c.col}; }
Cell right(Cell c, int cols) { return {c.row, c.col + cols}; }

// `tiles` fragments of 16 rows one below the other; beyond them the elements repeat.
Cell stacked_a(int tiles, int lane, int element) {
  return below(a_cell(lane, element % 8), 16 * (element / 8 % tiles));
}
// `tiles` fragments of 8 columns side by side.
Cell stacked_b(int tiles, int lane, int element) {
  return right(b_cell(lane, element % 4), 8 * (element / 4 % tiles));
}
Cell stacked_c(int lane, int element) { return below(c_cell(lane, element % 4), element / 4 * 16); }

}  // namespace

Cell wmma_cell(WmmaShape shape, WmmaOperand operand, int lane, int element) {
  switch (shape) {
    case WmmaShape::kM16N16K16:
      if (operand == WmmaOperand::kA) return stacked_a(1, lane, element);
      if (operand == WmmaOperand::kB) return stacked_b(2, lane, element);
      return right(c_cell(lane, element % 4), element / 4 * 8);
    case WmmaShape::kM32N8K16:
      if (operand == WmmaOperand::kA) return stacked_a(2, lane, element);
      if (operand == WmmaOperand::kB) return stacked_b(1, lane, element);
      return stacked_c(lane, element);
    case WmmaShape::kM8N32K16:  // D^T = B^T A^T: the same as above, roles exchanged
      if (operand == WmmaOperand::kA) return transposed(stacked_b(1, lane, element));
      if (operand == WmmaOperand::kB) return transposed(stacked_a(2, lane, element));
      return transposed(stacked_c(lane, element));
  }
  return {0, 0};
}

}  // namespace tcd::emu
