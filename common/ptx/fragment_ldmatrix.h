// Which row of shared memory each lane names for ldmatrix, and which elements it gets back.
//
// Source: PTX ISA 9.0, 9.7.14.5.15 "Warp-level matrix load instruction: ldmatrix" (sm_75),
// checked 2026-11-30. ldmatrix.m8n8.b16 loads one, two or four 8 x 8 matrices of 16-bit elements.
// The lane that provides a row's address is not the lane that receives that row.
#pragma once

#include "ptx/fragments.h"

namespace tcd::fragment {

// Row `row` of matrix `matrix` (0..num-1) is addressed by this lane.
struct LdmatrixRow {
  int matrix;
  int row;
};

// Lanes 0-7 address matrix 0, 8-15 matrix 1, and so on. For .x1 and .x2 the upper lanes are
// ignored, but sm_75 still wants a valid address from them: hence the wrap.
TCD_HOST_DEVICE constexpr LdmatrixRow ldmatrix_row(int num, int lane) {
  return {(lane / 8) % num, lane % 8};
}

// What lane `lane` receives in half i (0 low, 1 high) of the register for one matrix.
TCD_HOST_DEVICE constexpr Coord ldmatrix_element(int lane, int i, bool trans) {
  return trans ? Coord{thread_in_group(lane) * 2 + i, group_id(lane)}
               : Coord{group_id(lane), thread_in_group(lane) * 2 + i};
}

// Start of the row that each lane must address, as a coordinate of the operand tile, so that the
// registers come out in mma order.
// A, row-major 16 x 8, ldmatrix.x2.
TCD_HOST_DEVICE constexpr Coord ldmatrix_a_m16n8k8(int lane) { return {lane % 16, 0}; }

// A, row-major 16 x 16, ldmatrix.x4: upper left, lower left, upper right, lower right.
TCD_HOST_DEVICE constexpr Coord ldmatrix_a_m16n8k16(int lane) { return {lane % 16, lane / 16 * 8}; }

// B, row-major (k by column), ldmatrix.trans: .x1 for k8, .x2 for k16.
TCD_HOST_DEVICE constexpr Coord ldmatrix_b_trans_m16n8k8(int lane) { return {lane % 8, 0}; }
TCD_HOST_DEVICE constexpr Coord ldmatrix_b_trans_m16n8k16(int lane) { return {lane % 16, 0}; }

// B, column-major, no .trans: a row in memory is a column of B, eight k long.
TCD_HOST_DEVICE constexpr Coord ldmatrix_b_m16n8k8(int lane) { return {0, lane % 8}; }
TCD_HOST_DEVICE constexpr Coord ldmatrix_b_m16n8k16(int lane) {
  return {lane / 8 % 2 * 8, lane % 8};
}

}  // namespace tcd::fragment
