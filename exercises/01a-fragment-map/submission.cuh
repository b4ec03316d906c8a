// 01a: which element of the tile does lane `lane` hold as element i of its fragment?
//
// mma.sync.m16n8k8: A is 16×8, B is 8×8, D is 16×8. Element i of A and of B is a half, two to a
// register: i = 0 the low half of register 0, i = 1 its high half. Element i of D is float i.
#pragma once

#include "exercises/device/fragment_map.cuh"

// ---- the hole: three functions, about ten lines

__device__ tcd::Element element_of_a(int lane, int i) {  // i = 0 … 3; row 0 … 15, col (k) 0 … 7
  return {0, 0};
}

__device__ tcd::Element element_of_b(int lane, int i) {  // i = 0, 1; row (k) 0 … 7, col 0 … 7
  return {0, 0};
}

__device__ tcd::Element element_of_d(int lane, int i) {  // i = 0 … 3; row 0 … 15, col 0 … 7
  return {0, 0};
}

// ---- end of the hole
