// Where a thread stands: its lane in the fragments of its warp, and the corner of the warp's tile
// in the CTA's. Computed once, before the loop; the compiler keeps what is used.
#pragma once

namespace tcd::tile {

struct Coordinates {
  int lane;
  int group, in_group;        // groupID and threadID_in_group of the PTX fragment tables
  int warp_row, warp_column;  // corner of the warp's tile inside the CTA's
};

// Warps numbered row by row, kWarpsN tiles of kWarpM × kWarpN elements along a row of the CTA's.
// PTX ISA 9.0, 9.7.14.5.8 (groupID, threadID_in_group).
template <int kWarpsN, int kWarpM, int kWarpN>
__device__ Coordinates coordinates() {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  return {lane, lane / 4, lane % 4, warp / kWarpsN * kWarpM, warp % kWarpsN * kWarpN};
}

}  // namespace tcd::tile
