// FP8 to FP32 and FP16. Every value of both formats is exact in either.
#pragma once

#include <array>
#include <bit>

#include "tensor/mma.h"

namespace tcd::emu {

constexpr int fp8_least_exponent(Fp8 type) { return type == Fp8::kE4m3 ? -6 : -14; }

// E4M3 has no infinity: exponent and fraction all ones is NaN. E5M2 is FP16's upper byte.
constexpr float fp8_to_float(Fp8 type, uint32_t byte) {
  const int fraction_bits = type == Fp8::kE4m3 ? 3 : 2, bias = type == Fp8::kE4m3 ? 7 : 15;
  const uint32_t fraction = byte & ((1u << fraction_bits) - 1);
  const uint32_t field = (byte & 0x7f) >> fraction_bits;
  const bool special = type == Fp8::kE4m3 ? (byte & 0x7f) == 0x7f : field == 31;
  const uint32_t sign = byte >> 7 << 31;
  uint32_t magnitude;
  if (special) {
    magnitude = type == Fp8::kE4m3 || fraction ? 0x7fffffff : 0x7f800000;
  } else if (field == 0) {
    float units = float(fraction);  // of the least exponent's last bit
    magnitude = std::bit_cast<uint32_t>(units * (type == Fp8::kE4m3 ? 0x1p-9f : 0x1p-16f));
  } else {
    magnitude = (field + uint32_t(127 - bias)) << 23 | fraction << (23 - fraction_bits);
  }
  return std::bit_cast<float>(sign | magnitude);
}

constexpr uint32_t fp8_to_half(Fp8 type, uint32_t byte) {
  if (type == Fp8::kE5m2) return byte << 8;
  uint32_t sign = byte >> 7 << 15;
  if ((byte & 0x7f) == 0x7f) return sign | 0x7fff;
  uint32_t bits = std::bit_cast<uint32_t>(fp8_to_float(type, byte)) & 0x7fffffff;
  return sign | (bits ? (bits >> 13) - (112u << 10) : 0);  // always a normal half
}

namespace fp8_tables {
template <typename T, typename F>
constexpr std::array<T, 256> all(F&& convert) {
  std::array<T, 256> table{};
  for (uint32_t i = 0; i < 256; ++i) table[i] = convert(i);
  return table;
}
inline constexpr std::array<float, 256> kFloats[] = {
    all<float>([](uint32_t i) { return fp8_to_float(Fp8::kE4m3, i); }),
    all<float>([](uint32_t i) { return fp8_to_float(Fp8::kE5m2, i); })};
inline constexpr std::array<uint16_t, 256> kHalves[] = {
    all<uint16_t>([](uint32_t i) { return uint16_t(fp8_to_half(Fp8::kE4m3, i)); }),
    all<uint16_t>([](uint32_t i) { return uint16_t(fp8_to_half(Fp8::kE5m2, i)); })};
}  // namespace fp8_tables

// Byte `byte` (0..3) of every lane.
inline void fp8_values(Fp8 type, const Row& row, int byte, float* out) {
  for (int lane = 0; lane < kLanes; ++lane) {
    out[lane] = fp8_tables::kFloats[int(type)][row.lane[lane] >> 8 * byte & 255];
  }
}

// Bytes 2 * pair and the next as f16x2.
inline void fp8_to_f16(Fp8 type, const Row& row, int pair, Row& out) {
  const auto& table = fp8_tables::kHalves[int(type)];
  for (int lane = 0; lane < kLanes; ++lane) {
    uint32_t word = row.lane[lane] >> 16 * pair;
    out.lane[lane] = table[word & 255] | uint32_t{table[word >> 8 & 255]} << 16;
  }
}

}  // namespace tcd::emu
