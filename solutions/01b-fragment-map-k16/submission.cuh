// 01b: which element of the tile does lane `lane` hold as element i of its fragment?
//
// mma.sync.m16n8k16: A is 16×16, B is 16×8, D is 16×8. Element i of A and of B is a half, two to a
// register: i = 0 the low half of register 0, i = 1 its high half. Element i of D is float i.
#pragma once

#include "exercises/device/fragment_map.cuh"

// ---- the hole: three functions, about a dozen lines

// Two m16n8k8 fragments, one after the other: elements 0–3 are the left 16×8 of the tile, 4–7 the
// right. So register 1 goes down and register 2 goes right, which is the opposite of reading order.
__device__ tcd::Element element_of_a(int lane, int i) {  // i = 0 … 7; row 0 … 15, col (k) 0 … 15
  return {lane / 4 + i / 2 % 2 * 8, lane % 4 * 2 + i % 2 + i / 4 * 8};
}

// Two 8×8 tiles, one below the other: B has nothing to its right.
__device__ tcd::Element element_of_b(int lane, int i) {  // i = 0 … 3; row (k) 0 … 15, col 0 … 7
  return {lane % 4 * 2 + i % 2 + i / 2 * 8, lane / 4};
}

// k does not appear in D: the map is m16n8k8's.
__device__ tcd::Element element_of_d(int lane, int i) {  // i = 0 … 3; row 0 … 15, col 0 … 7
  return {lane / 4 + i / 2 * 8, lane % 4 * 2 + i % 2};
}

// ---- end of the hole
