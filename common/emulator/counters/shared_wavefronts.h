// How many passes through shared memory one warp instruction needs.
//
// Shared memory has 32 banks of 4 bytes; in one pass, a wavefront, each bank delivers or takes one
// word. Lanes that name the same word share it; different words in one bank queue up. An access of
// 4 bytes a lane is one pass at best; wider ones are cut into groups of lanes that fill 128 bytes:
// 8 bytes: half-warps, 16 bytes: quarter-warps, ldmatrix: the eight rows of each matrix.
//
// Evidence: banks are described in the CUDA C++ Programming Guide (compute capability 5.x, "Shared
// Memory"). NVIDIA documents neither the cut into groups nor the merging below; both are what the
// profiler shows on an H200 for the 296 patterns of these instructions in tests/recorded, all of
// which these rules reproduce. Merging under a partial mask is a guess.
#pragma once

#include <cstdint>

namespace tcd::emu {

struct Wavefronts {
  uint32_t needed = 0;
  uint32_t ideal = 0;  // the same access without a conflict: one a group
  uint32_t conflicts() const { return needed > ideal ? needed - ideal : 0; }
  bool operator==(const Wavefronts&) const = default;
};

// ld.shared. addresses: 32 byte addresses, those of lanes outside `mask` are not looked at; bytes:
// 1, 2, 4, 8 or 16 a lane, addresses are multiples of it. Two neighbouring groups merge when every
// lane names the same address as the lane beside it, or every lane as the lane two further.
Wavefronts shared_load_wavefronts(uint32_t mask, const uint32_t* addresses, uint32_t bytes);

// st.shared: the same without merging.
Wavefronts shared_store_wavefronts(uint32_t mask, const uint32_t* addresses, uint32_t bytes);

// ldmatrix and stmatrix: 8 * matrices row addresses, multiples of 16; matrices: 1, 2 or 4.
Wavefronts matrix_wavefronts(const uint32_t* rows, uint32_t matrices);

}  // namespace tcd::emu
