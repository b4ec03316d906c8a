#include "counters/global_sectors.h"

#include <bit>

namespace tcd::emu {

uint32_t global_sectors(uint32_t mask, const uint64_t* addresses, uint32_t bytes) {
  // A small hash table: this runs for every access of a kernel that gathers at random.
  constexpr uint32_t kSlots = 128;
  uint64_t table[kSlots] = {};
  uint32_t count = 0;
  const auto insert = [&](uint64_t sector) {
    const uint64_t key = sector + 1;  // 0 is an empty slot
    for (uint64_t slot = key * 0x9e3779b97f4a7c15u >> 57;; slot = (slot + 1) % kSlots) {
      if (table[slot] == key) return;
      if (table[slot] == 0) {
        table[slot] = key;
        ++count;
        return;
      }
    }
  };
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const uint64_t address = addresses[std::countr_zero(rest)];
    insert(address / kSectorBytes);
    if (address % kSectorBytes + bytes > kSectorBytes) insert(address / kSectorBytes + 1);
  }
  return count;
}

}  // namespace tcd::emu
