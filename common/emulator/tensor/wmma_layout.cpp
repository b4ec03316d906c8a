#include "tensor/wmma_layout.h"

#include "tensor/row.h"

namespace tcd::emu {
namespace {

Cell transposed(Cell c) { return {c.col, c.row}; }
Cell below(Cell c, int rows) { return {c.row + rows, c.col}; }
Cell right(Cell c, int cols) { return {c.row, c.col + cols}; }

// Fragments of one mma, by type. Elements of a 16-row A and of a B of eight columns.
struct Pieces {
  int a, b;
};
constexpr Pieces pieces_of(WmmaElement type) {
  return type == WmmaElement::kTf32 ? Pieces{4, 2} : Pieces{8, 4};
}

Cell a_cell_of(WmmaElement type, int lane, int element) {
  switch (type) {
    case WmmaElement::kByte:
      return {group_of(lane) + 8 * (element / 4), 4 * in_group(lane) + element % 4};
    case WmmaElement::kTf32:
      return {group_of(lane) + 8 * (element % 2), in_group(lane) + 4 * (element / 2)};
    default:
      return a_cell(lane, element);
  }
}
Cell b_cell_of(WmmaElement type, int lane, int element) {
  switch (type) {
    case WmmaElement::kByte:
      return {4 * in_group(lane) + element, group_of(lane)};
    case WmmaElement::kTf32:
      return {in_group(lane) + 4 * element, group_of(lane)};
    default:
      return b_cell(lane, element);
  }
}

// `tiles` fragments of 16 rows one below the other; beyond them the elements repeat.
Cell stacked_a(int tiles, WmmaElement type, int lane, int element) {
  const int n = pieces_of(type).a;
  return below(a_cell_of(type, lane, element % n), 16 * (element / n % tiles));
}
// `tiles` fragments of 8 columns side by side.
Cell stacked_b(int tiles, WmmaElement type, int lane, int element) {
  const int n = pieces_of(type).b;
  return right(b_cell_of(type, lane, element % n), 8 * (element / n % tiles));
}
Cell stacked_c(int lane, int element) { return below(c_cell(lane, element % 4), element / 4 * 16); }

// m8n8: one fragment of mma, in which every lane holds `run` neighbours along k.
Cell small_cell(WmmaOperand operand, int run, int lane, int element) {
  if (operand == WmmaOperand::kAccumulator) return c_cell(lane, element);
  const Cell a = {group_of(lane), run * in_group(lane) + element};
  return operand == WmmaOperand::kA ? a : transposed(a);
}

}  // namespace

Cell wmma_cell(WmmaShape shape, WmmaOperand operand, int lane, int element, WmmaElement type) {
  switch (shape) {
    case WmmaShape::kM16N16K16:
    case WmmaShape::kM16N16K8:
      if (operand == WmmaOperand::kA) return stacked_a(1, type, lane, element);
      if (operand == WmmaOperand::kB) return stacked_b(2, type, lane, element);
      return right(c_cell(lane, element % 4), element / 4 * 8);
    case WmmaShape::kM32N8K16:
      if (operand == WmmaOperand::kA) return stacked_a(2, type, lane, element);
      if (operand == WmmaOperand::kB) return stacked_b(1, type, lane, element);
      return stacked_c(lane, element);
    case WmmaShape::kM8N32K16:  // D^T = B^T A^T: the same as above, roles exchanged
      if (operand == WmmaOperand::kA) return transposed(stacked_b(1, type, lane, element));
      if (operand == WmmaOperand::kB) return transposed(stacked_a(2, type, lane, element));
      return transposed(stacked_c(lane, element));
    case WmmaShape::kM8N8K32:
      return small_cell(operand, 8, lane, element);
    case WmmaShape::kM8N8K4:
      return small_cell(operand, 1, lane, element);
  }
  return {0, 0};
}

int wmma_registers(WmmaShape shape, WmmaOperand operand, WmmaElement type, int bits) {
  const WmmaExtent extent = wmma_extent(shape, operand);
  const int per_register = bits < 32 ? 32 / bits : 1;
  const bool repeats = type == WmmaElement::kHalf && operand != WmmaOperand::kAccumulator;
  return repeats ? 8 : extent.rows * extent.cols / kLanes / per_register;
}

}  // namespace tcd::emu
