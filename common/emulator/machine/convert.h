// What `cvt` needs to know, as decode and exec agree on it (MicroOp::flags).
#pragma once

#include <cstdint>

namespace tcd::emu {

enum class Number : uint8_t {
  kU8,
  kS8,
  kU16,
  kS16,
  kU32,
  kS32,
  kU64,
  kS64,
  kF16,
  kBf16,
  kF32,
  kF64,
  kTf32,
  kE4m3,
  kE5m2
};

constexpr unsigned bytes_of(Number n) {
  constexpr unsigned kBytes[] = {1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 8, 4, 1, 1};
  return kBytes[static_cast<int>(n)];
}
constexpr bool is_float(Number n) { return n >= Number::kF16; }
constexpr bool is_signed(Number n) {
  return n == Number::kS8 || n == Number::kS16 || n == Number::kS32 || n == Number::kS64;
}

enum class Round : uint8_t { kNearest, kZero, kDown, kUp, kNearestAway };

struct Conversion {
  Number to, from;
  Round round;
  bool integral;  // rni, rzi, rmi, rpi: to an integral value
  bool ftz, sat, relu, satfinite;
  bool wide_to, wide_from;  // the register has 64 bits

  constexpr uint32_t pack() const {
    return static_cast<uint32_t>(to) | static_cast<uint32_t>(from) << 4 |
           static_cast<uint32_t>(round) << 8 | uint32_t{integral} << 11 | uint32_t{ftz} << 12 |
           uint32_t{sat} << 13 | uint32_t{relu} << 14 | uint32_t{satfinite} << 15 |
           uint32_t{wide_to} << 16 | uint32_t{wide_from} << 17;
  }
  static constexpr Conversion unpack(uint32_t f) {
    return {static_cast<Number>(f & 15),
            static_cast<Number>(f >> 4 & 15),
            static_cast<Round>(f >> 8 & 7),
            (f >> 11 & 1) != 0,
            (f >> 12 & 1) != 0,
            (f >> 13 & 1) != 0,
            (f >> 14 & 1) != 0,
            (f >> 15 & 1) != 0,
            (f >> 16 & 1) != 0,
            (f >> 17 & 1) != 0};
  }
};

}  // namespace tcd::emu
