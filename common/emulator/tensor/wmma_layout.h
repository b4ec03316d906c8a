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
//
// The other types (bf16, bytes, tf32, nibbles, double) follow the same rule from mma's fragments of
// those types, and their fragments have no copies. For bf16, tf32 and bytes random registers give
// an H200's bits (tests/card); of nibbles and doubles only whole programs were compared.
#pragma once

#include <cstdint>

#include "tensor/fragment.h"

namespace tcd::emu {

enum class WmmaShape { kM16N16K16, kM32N8K16, kM8N32K16, kM16N16K8, kM8N8K32, kM8N8K4 };
// What A and B hold. k: 16 for halves and bytes, 8 for TF32, 32 for nibbles, 4 for doubles.
enum class WmmaElement { kHalf, kBfloat, kByte, kTf32, kNibble, kDouble };
enum class WmmaOperand { kA, kB, kAccumulator };

struct WmmaExtent {
  int rows, cols;
};

constexpr WmmaExtent wmma_extent(WmmaShape shape, WmmaOperand operand) {
  constexpr int kExtents[][3] = {{16, 16, 16}, {32, 8, 16}, {8, 32, 16},
                                 {16, 16, 8},  {8, 8, 32},  {8, 8, 4}};
  const auto [m, n, k] = kExtents[static_cast<int>(shape)];
  if (operand == WmmaOperand::kA) return {m, k};
  if (operand == WmmaOperand::kB) return {k, n};
  return {m, n};
}

// The cell of `operand` (A: m x 16, B: 16 x n, C and D: m x n) that `element` of `lane` holds.
// A and B: elements fill registers from the low bits up (16 halves: two to a register).
// Accumulators: 8 elements, 2 for m8n8; as f32, s32 or f64 one register each, as f16 two to a
// register, low half first.
Cell wmma_cell(WmmaShape shape, WmmaOperand operand, int lane, int element,
               WmmaElement type = WmmaElement::kHalf);

// Registers of a fragment whose elements have `bits` bits. f16: 8 for A and B.
int wmma_registers(WmmaShape shape, WmmaOperand operand, WmmaElement type, int bits);

// Where that cell stands in memory, in elements from the base address; stride as in the
// instruction, between rows (row_major) or columns.
inline int64_t wmma_offset(WmmaShape shape, WmmaOperand operand, bool row_major, int64_t stride,
                           int lane, int element, WmmaElement type = WmmaElement::kHalf) {
  Cell at = wmma_cell(shape, operand, lane, element, type);
  return row_major ? at.row * stride + at.col : at.col * stride + at.row;
}

}  // namespace tcd::emu
