// FP16 as its 16-bit pattern, without CUDA headers: exact to float, rounded to nearest even from
// double. A __half array is passed to the gates as uint16_t.
#pragma once

#include <bit>
#include <cstdint>

namespace tcd {

constexpr bool half_is_nan(std::uint16_t bits) { return (bits & 0x7FFF) > 0x7C00; }
constexpr bool float_bits_are_nan(std::uint32_t bits) { return (bits & 0x7FFFFFFF) > 0x7F800000; }

// Exact: every FP16 value, subnormals included, is an FP32 value.
constexpr float half_to_float(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000) << 16;
  const std::uint32_t exponent = (bits >> 10) & 0x1F;
  const std::uint32_t fraction = bits & 0x3FF;
  if (exponent == 0x1F) return std::bit_cast<float>(sign | 0x7F800000u | fraction << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
  const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
  return sign != 0 ? -magnitude : magnitude;
}

// Round to nearest even, straight from the 53-bit significand: no double rounding.
constexpr std::uint16_t double_to_half(double value) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
  const auto sign = static_cast<std::uint16_t>(bits >> 48 & 0x8000);
  const int exponent = static_cast<int>(bits >> 52 & 0x7FF) - 1023;
  const std::uint64_t fraction = bits & 0xFFFFFFFFFFFFFull;
  if (exponent == 1024) return static_cast<std::uint16_t>(sign | (fraction != 0 ? 0x7E00 : 0x7C00));
  if (exponent > 15) return static_cast<std::uint16_t>(sign | 0x7C00);
  if (exponent < -25) return sign;
  const bool normal = exponent >= -14;
  const int shift = normal ? 42 : 42 - 14 - exponent;  // 43..53 for an FP16 subnormal
  const std::uint64_t significand = fraction | 1ull << 52;
  const std::uint64_t rest = significand & ((1ull << shift) - 1);
  const std::uint64_t middle = 1ull << (shift - 1);
  std::uint64_t result = significand >> shift;
  if (normal) result += static_cast<std::uint64_t>(exponent + 14) << 10;  // hidden bit adds one
  if (rest > middle || (rest == middle && (result & 1) != 0)) ++result;   // may carry to infinity
  return static_cast<std::uint16_t>(sign | result);
}

constexpr std::uint16_t float_to_half(float value) {
  return double_to_half(static_cast<double>(value));
}

}  // namespace tcd
