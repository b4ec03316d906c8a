// How values are written in messages.
#pragma once

#include <cstdint>
#include <string>

#include "gates/output.h"

namespace tcd {

std::string decimal(double value);                      // shortest that tells FP32 apart
std::string hex(OutputType type, std::uint32_t bits);   // 0x3F800000, 0x3C00
std::string both(OutputType type, std::uint32_t bits);  // 1.5 (0x3FC00000)
std::string place(std::int64_t row, std::int64_t col);  // (row 3, column 5)

}  // namespace tcd
