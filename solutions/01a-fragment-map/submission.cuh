// 01a: which element of the tile does lane `lane` hold as element i of its fragment?
//
// mma.sync.m16n8k8: A is 16×8, B is 8×8, D is 16×8. Element i of A and of B is a half, two to a
// register: i = 0 the low half of register 0, i = 1 its high half. Element i of D is float i.
#pragma once

#include "exercises/device/fragment_map.cuh"

// ---- the hole: three functions, about ten lines

// Eight groups of four lanes. The group names the row, the lane inside it a pair of neighbours: one
// register is two neighbours of one row, so the pair must be the two lowest bits of the column.
// Register 1 repeats register 0 eight rows further down.
__device__ tcd::Element element_of_a(int lane, int i) {  // i = 0 … 3; row 0 … 15, col (k) 0 … 7
  return {lane / 4 + i / 2 * 8, lane % 4 * 2 + i % 2};
}

// `.col`: the neighbours that share a register are neighbours in k, and k is B's row. So the two
// parts of the lane number change places.
__device__ tcd::Element element_of_b(int lane, int i) {  // i = 0, 1; row (k) 0 … 7, col 0 … 7
  return {lane % 4 * 2 + i, lane / 4};
}

// D is 16×8 as A is, and has A's map. That is why D can be right while A is not.
__device__ tcd::Element element_of_d(int lane, int i) {  // i = 0 … 3; row 0 … 15, col 0 … 7
  return {lane / 4 + i / 2 * 8, lane % 4 * 2 + i % 2};
}

// ---- end of the hole
