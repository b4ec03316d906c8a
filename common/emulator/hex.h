// Addresses and sizes in messages.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace tcd::emu {

inline std::string hex(uint64_t value) {  // 0x7f00
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

}  // namespace tcd::emu
