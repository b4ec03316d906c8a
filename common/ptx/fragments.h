// Which element of the tile each lane of a warp holds, for the two FP16 shapes of the course.
//
// Source: PTX ISA 9.0, checked 2026-11-30
//   9.7.14.5.7  "Matrix Fragments for mma.m16n8k8"                           (.f16, sm_75)
//   9.7.14.5.8  "Matrix Fragments for mma.m16n8k16 with floating point type" (.f16, sm_80)
// The ISA calls lane >> 2 groupID and lane % 4 threadID_in_group; the names are kept.
//
// A is row by k, B is k by column, C and D are row by column. Element i of a fragment is a_i, b_i
// or c_i of the ISA. Two FP16 elements share a register: element i is in register i / 2, the even
// one in the low 16 bits. FP32 accumulators have a register each: c_i is register i.
#pragma once

#ifdef __CUDACC__
#define TCD_HOST_DEVICE __host__ __device__
#else
#define TCD_HOST_DEVICE
#endif

namespace tcd::fragment {

inline constexpr int kWarpLanes = 32;
inline constexpr int kTileM = 16;  // rows of A, C, D, for both shapes
inline constexpr int kTileN = 8;   // columns of B, C, D, for both shapes

// A place inside one mma tile.
struct Coord {
  int row;
  int col;
};

TCD_HOST_DEVICE constexpr bool operator==(Coord x, Coord y) {
  return x.row == y.row && x.col == y.col;
}
TCD_HOST_DEVICE constexpr bool operator!=(Coord x, Coord y) { return !(x == y); }

TCD_HOST_DEVICE constexpr int group_id(int lane) { return lane >> 2; }
TCD_HOST_DEVICE constexpr int thread_in_group(int lane) { return lane % 4; }

// Elements a lane holds. k is 8 or 16.
TCD_HOST_DEVICE constexpr int a_elements(int k) { return kTileM * k / kWarpLanes; }
TCD_HOST_DEVICE constexpr int b_elements(int k) { return k * kTileN / kWarpLanes; }
inline constexpr int kAccumulators = kTileM * kTileN / kWarpLanes;

// m16n8k8, A (16 x 8): i = 0..3.
TCD_HOST_DEVICE constexpr Coord a_m16n8k8(int lane, int i) {
  return {group_id(lane) + (i < 2 ? 0 : 8), thread_in_group(lane) * 2 + (i & 1)};
}

// m16n8k8, B (8 x 8): i = 0..1. The row is k: a lane holds two neighbours of one column.
TCD_HOST_DEVICE constexpr Coord b_m16n8k8(int lane, int i) {
  return {thread_in_group(lane) * 2 + i, group_id(lane)};
}

// m16n8k16, A (16 x 16): i = 0..7. Register 1 is the lower half, register 2 the right half.
TCD_HOST_DEVICE constexpr Coord a_m16n8k16(int lane, int i) {
  return {group_id(lane) + (i < 2 || (i >= 4 && i < 6) ? 0 : 8),
          thread_in_group(lane) * 2 + (i & 1) + (i < 4 ? 0 : 8)};
}

// m16n8k16, B (16 x 8): i = 0..3.
TCD_HOST_DEVICE constexpr Coord b_m16n8k16(int lane, int i) {
  return {thread_in_group(lane) * 2 + (i & 1) + (i < 2 ? 0 : 8), group_id(lane)};
}

// C and D (16 x 8), the same for both shapes: i = 0..3. The rule is a_m16n8k8's, which is why a
// correct accumulator map proves nothing about A.
TCD_HOST_DEVICE constexpr Coord c_m16n8(int lane, int i) {
  return {group_id(lane) + (i < 2 ? 0 : 8), thread_in_group(lane) * 2 + (i & 1)};
}

// The same by shape, for code that treats both. k is 8 or 16.
TCD_HOST_DEVICE constexpr Coord a_coord(int k, int lane, int i) {
  return k == 8 ? a_m16n8k8(lane, i) : a_m16n8k16(lane, i);
}
TCD_HOST_DEVICE constexpr Coord b_coord(int k, int lane, int i) {
  return k == 8 ? b_m16n8k8(lane, i) : b_m16n8k16(lane, i);
}

}  // namespace tcd::fragment
