#include "gates/numbers.h"

#include <cmath>
#include <cstdio>

namespace tcd {

std::string decimal(double value) {
  if (std::isnan(value)) return "NaN";
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

std::string hex(OutputType type, std::uint32_t bits) {
  char text[16];
  std::snprintf(text, sizeof text, type == OutputType::kF32 ? "0x%08X" : "0x%04X", bits);
  return text;
}

std::string both(OutputType type, std::uint32_t bits) {
  return decimal(value_of_bits(type, bits)) + " (" + hex(type, bits) + ")";
}

std::string place(std::int64_t row, std::int64_t col) {
  return "(row " + std::to_string(row) + ", column " + std::to_string(col) + ")";
}

}  // namespace tcd
