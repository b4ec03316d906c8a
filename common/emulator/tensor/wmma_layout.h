// Who holds what in a wmma fragment.
//
// The PTX ISA leaves this layout unspecified, and no program may rely on it; an emulator has to
// choose one, and chooses the hardware's. Evidence: every element of every fragment below was
// recorded on an H200 (sm_90), for all three shapes, both memory layouts, f32 and f16 accumulators
// (load, store and mma). For sm_75 and sm_80 the machine code that ptxas writes for wmma.load and
// wmma.store uses the same addresses (read, not run on such a card).
//
// What came out: a wmma fragment is mma.m16n8k16 fragments side by side. m16n16k16 is one A and two
// B of eight columns; m32n8k16 two A of 16 rows and one B; m8n32k16 the transposed problem, with
// the roles of A and B exchanged. An A or B fragment always has 8 registers; where fewer are
// needed, the load fills the rest with copies and the multiplication does not read them.
#pragma once

#include <cstdint>

#include "tensor/fragment.h"

namespace tcd::emu {

enum class WmmaShape { kM16N16K16, kM32N8K16, kM8N32K16 };
enum class WmmaOperand { kA, kB, kAccumulator };

struct WmmaExtent {
  int rows, cols;
};

constexpr WmmaExtent wmma_extent(WmmaShape shape, WmmaOperand operand) {
  int m = shape == WmmaShape::kM16N16K16 ? 16 : shape == WmmaShape::kM32N8K16 ? 32 : 8;
  int n = shape == WmmaShape::kM16N16K16 ? 16 : shape == WmmaShape::kM32N8K16 ? 8 : 32;
  if (operand == WmmaOperand::kA) return {m, 16};
  if (operand == WmmaOperand::kB) return {16, n};
  return {m, n};
}

// The cell of `operand` (A: m x 16, B: 16 x n, C and D: m x n) that `element` of `lane` holds.
// A and B: 16 halves, register element / 2, low half first. Accumulators: 8 elements; as f32 one
// register each, as f16 two to a register, low half first.
Cell wmma_cell(WmmaShape shape, WmmaOperand operand, int lane, int element);

// Registers of a fragment: 8 for A, B and f32 accumulators, 4 for f16 accumulators.
constexpr int wmma_registers(WmmaOperand operand, bool half) {
  return operand == WmmaOperand::kAccumulator && half ? 4 : 8;
}

// Where that cell stands in memory, in elements from the base address; stride as in the
// instruction, between rows (row_major) or columns.
inline int64_t wmma_offset(WmmaShape shape, WmmaOperand operand, bool row_major, int64_t stride,
                           int lane, int element) {
  Cell at = wmma_cell(shape, operand, lane, element);
  return row_major ? at.row * stride + at.col : at.col * stride + at.row;
}

}  // namespace tcd::emu
