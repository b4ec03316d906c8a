// Variants of half-precision instructions, as decode and exec agree on them (MicroOp::flags).
#pragma once

#include <cstdint>

namespace tcd::emu {

// Bits of MicroOp::flags.
inline constexpr uint32_t kHalfBfloat = 1;
inline constexpr uint32_t kHalfPacked = 2;  // f16x2, bf16x2
inline constexpr uint32_t kHalfFtz = 4;
inline constexpr uint32_t kHalfSat = 8;
inline constexpr uint32_t kHalfRelu = 16;
inline constexpr uint32_t kHalfNan = 32;      // min.NaN, max.NaN
inline constexpr uint32_t kHalfXorSign = 64;  // min.xorsign.abs
inline constexpr uint32_t kHalfOpShift = 8;

}  // namespace tcd::emu
