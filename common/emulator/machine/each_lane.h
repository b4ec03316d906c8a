// The lanes of a mask, lowest first.
#pragma once

#include <bit>
#include <cstdint>

namespace tcd::emu {

template <class F>
void each_lane(uint32_t mask, F&& f) {
  for (; mask != 0; mask &= mask - 1) f(std::countr_zero(mask));
}

}  // namespace tcd::emu
