// The passes that one group of lanes needs through 32 banks of 4 bytes.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace tcd::emu {

inline constexpr uint32_t kBankLineBytes = 128;

// Each lane of `mask` touches one aligned unit of `unit` bytes (4, 8 or 16). The banks form
// 128 / unit groups of that width; different units in one group queue up. 0 for an empty mask.
template <class Address>
uint32_t conflict_degree(const Address* addresses, uint32_t mask, uint32_t unit) {
  const auto shift = static_cast<uint32_t>(std::countr_zero(unit));
  const uint32_t groups = kBankLineBytes >> shift;
  Address seen[32][32];  // [bank group][n-th different unit in it]
  uint32_t count[32] = {};
  uint32_t most = 0;
  for (; mask != 0; mask &= mask - 1) {
    const Address place = addresses[std::countr_zero(mask)] >> shift;
    const auto group = static_cast<uint32_t>(place) & (groups - 1);
    Address* const begin = seen[group];
    Address* const end = begin + count[group];
    if (std::find(begin, end, place) != end) continue;
    *end = place;
    most = std::max(most, ++count[group]);
  }
  return most;
}

// Lanes first … first + lanes - 1.
constexpr uint32_t lane_range(uint32_t first, uint32_t lanes) {
  return (lanes == 32 ? ~0u : (1u << lanes) - 1) << first;
}

}  // namespace tcd::emu
