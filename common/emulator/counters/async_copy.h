// How many passes the writes of a cp.async need: not what bank counting says.
//
// A copy that goes around L1 (cp.async.cg) moves sectors of 32 bytes from a 128-byte line of global
// memory to a 128-byte line of shared memory, through a network with few settings. One wavefront
// serves all the sectors for which one setting does:
//   - they come from one global line and go to one shared line;
//   - they move the same halves (16 bytes) of a sector the same way: both straight, both swapped,
//     or only one of them, from the same half to the same half;
//   - their numbers change parity alike: (sector in the global line ^ sector in the shared line) &
//   1;
//   - a source sector goes to one place.
// The order of the lanes does not matter.
//
// What it explains. 64-byte rows in shared memory, each from its own global row: one wavefront a
// row, 8 an instruction, where bank counting gives 4. Rows padded to 80 bytes: every other row
// starts in the middle of a sector, so each of its sectors is torn into halves that travel apart,
// and rows that cross a 128-byte line pay for both: 1+3+1+3+1+2+2+2 = 15. The same rows from a
// k-tile that starts 96 bytes into a global line: 16.
//
// Evidence: found from, and equal to, all 141 patterns recorded on an H200 (tests/recorded), among
// them shuffled ones; NVIDIA documents none of it. Not measured on another architecture.
#pragma once

#include <cstdint>

#include "counters/shared_wavefronts.h"

namespace tcd::emu {

// cp.async.cg, 16 bytes a lane. shared, global: 32 addresses, multiples of 16; only lanes in `mask`
// that read at least one byte count: a zero-filled chunk comes from nowhere, and what its write
// costs was not measured (counted as nothing). ideal: the active lanes' bytes in full lines of 128.
Wavefronts bypass_copy_wavefronts(uint32_t mask, const uint32_t* shared, const uint64_t* global);

// cp.async.ca, 4, 8 or 16 bytes a lane, source in L1. An approximation: per group of lanes (as for
// shared loads) bank conflicts of reading L1 plus those of writing, minus one. Equal to the H200
// for 26 of the 33 recorded patterns, among them all regular ones, at most 2 too high for the
// others (random addresses).
Wavefronts cached_copy_wavefronts(uint32_t mask, const uint32_t* shared, const uint64_t* global,
                                  uint32_t bytes);

}  // namespace tcd::emu
