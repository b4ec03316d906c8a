// How much of global memory one warp instruction touches. Caches fetch sectors of 32 bytes; four of
// them share the tag of a 128-byte line. Source: Nsight Compute documentation, "Memory Tables"
// (sectors, requests), and 40 recorded patterns (tests/recorded), all equal.
#pragma once

#include <cstdint>

namespace tcd::emu {

inline constexpr uint32_t kSectorBytes = 32;

// Different sectors touched by `bytes` bytes (1 to 16) at each of the addresses in `mask`;
// addresses are multiples of `bytes` rounded up to a power of two.
uint32_t global_sectors(uint32_t mask, const uint64_t* addresses, uint32_t bytes);

}  // namespace tcd::emu
