// A row: one 32-bit register of all 32 lanes of a warp. The unit every instruction works on.
#pragma once

#include <cstdint>

namespace tcd::emu {

inline constexpr int kLanes = 32;

struct alignas(64) Row {
  uint32_t lane[kLanes];
};

}  // namespace tcd::emu
