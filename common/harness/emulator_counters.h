// What the emulated device counted, asked through the symbols it exports; absent on a card.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace tcd::harness {

// Sets every counter to zero. Does nothing on a card.
void reset_counters();
// All counters since the last reset, by name; empty on a card.
std::map<std::string, uint64_t> read_counters();

}  // namespace tcd::harness
