// What an issue-rate submission sees.
#pragma once

#include <cstdint>

#include "ptx/mma.cuh"

namespace tcd {

constexpr int kChains = 8;  // accumulator tiles a warp holds

// The operands of one m16n8k16, in registers.
struct Fragments {
  uint32_t a[4], b[2];
};

}  // namespace tcd
