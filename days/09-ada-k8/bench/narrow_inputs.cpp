#include "bench/narrow_inputs.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "gates/inputs.h"

namespace day::bench {

namespace {

constexpr int kAdderBits = 14;  // of FP8's sums: the leading one and 13 fraction bits
constexpr uint8_t kNotANumber = 0x7F;
constexpr uint8_t kMinusOne = 0xB8, kOne = 0x38;
// −2, −1.5, …, 2.
constexpr std::array<uint8_t, 9> kHalves = {0xC0, 0xBC, kMinusOne, 0xB0, 0x00,
                                            0x30, kOne, 0x3C,      0x40};
constexpr int kHalvesUpTo = 256;  // K: then 4·K products of at most 4 fit into 13 bits of quarters
constexpr double kMostNonzeros = 6000;

uint8_t exact_byte(bool integer, int k, uint64_t bits) {
  if (integer) return static_cast<uint8_t>(bits);
  if (k <= kHalvesUpTo) return kHalves[bits % kHalves.size()];
  const double density = std::min(2.0 / 3, kMostNonzeros / k);
  if (static_cast<double>(bits >> 32) * 0x1p-32 >= density) return 0;
  return bits & 1 ? kOne : kMinusOne;
}

template <typename Byte>
NarrowMatrix filled(int lines, int k, int padding, uint8_t between, const Byte& byte) {
  NarrowMatrix matrix;
  matrix.lines = lines;
  matrix.k = k;
  matrix.ld = k + padding;
  matrix.bytes.assign(size_t(lines) * matrix.ld, between);
  for (int line = 0; line < lines; ++line) {
    for (int i = 0; i < k; ++i) matrix.bytes[size_t(line) * matrix.ld + i] = byte(line, i);
  }
  return matrix;
}

double magnitude(bool integer, uint8_t byte) {
  return std::abs(integer ? double{1} * static_cast<int8_t>(byte) : double{from_e4m3(byte)});
}

}  // namespace

NarrowMatrix exact_bytes(bool integer, int lines, int k, int padding, uint64_t seed) {
  return filled(lines, k, padding, kNotANumber, [&](int line, int i) {
    return exact_byte(integer, k, tcd::random_bits(seed, uint64_t(line) * k + i));
  });
}

NarrowMatrix random_bytes(bool integer, int lines, int k, uint64_t seed) {
  return filled(lines, k, 0, 0, [&](int line, int i) {
    const auto byte = static_cast<uint8_t>(tcd::random_bits(seed, uint64_t(line) * k + i));
    // The largest exponents left out: sums stay finite.
    return integer ? byte : static_cast<uint8_t>(byte & 0xBF);
  });
}

NarrowBound narrow_bound(bool integer, const NarrowMatrix& a, const NarrowMatrix& b) {
  double largest_row = 0, largest_b = 0;
  for (int line = 0; line < a.lines; ++line) {
    double sum = 0;
    for (int i = 0; i < a.k; ++i) sum += magnitude(integer, a.line(line)[i]);
    largest_row = std::max(largest_row, sum);
  }
  for (int line = 0; line < b.lines; ++line) {
    for (int i = 0; i < b.k; ++i)
      largest_b = std::max(largest_b, magnitude(integer, b.line(line)[i]));
  }
  const double unit = !integer && a.k <= kHalvesUpTo ? 0.25 : 1;
  return {largest_row * largest_b / unit, integer ? 0x1p31 - 1 : std::ldexp(1, kAdderBits)};
}

std::string NarrowBound::explain() const {
  return "a partial sum may reach " + std::to_string(static_cast<int64_t>(largest_sum)) +
         " units of the smallest product, and only " + std::to_string(static_cast<int64_t>(limit)) +
         " are exact";
}

float from_e4m3(uint8_t bits) {
  const int exponent = bits >> 3 & 15, fraction = bits & 7;
  if ((bits & 0x7F) == kNotANumber) return std::nanf("");
  const float value = exponent == 0 ? std::ldexp(static_cast<float>(fraction), -9)
                                    : std::ldexp(static_cast<float>(8 + fraction), exponent - 10);
  return bits & 0x80 ? -value : value;
}

int32_t integer_dot(const NarrowMatrix& a, int row, const NarrowMatrix& b, int column) {
  const auto* x = reinterpret_cast<const int8_t*>(a.line(row));
  const auto* y = reinterpret_cast<const int8_t*>(b.line(column));
  int32_t sum = 0;
  for (int i = 0; i < a.k; ++i) sum += x[i] * y[i];
  return sum;
}

float float_dot(const NarrowMatrix& a, int row, const NarrowMatrix& b, int column) {
  static const std::array<float, 256> kValues = [] {
    std::array<float, 256> values{};
    for (int byte = 0; byte < 256; ++byte) values[byte] = from_e4m3(static_cast<uint8_t>(byte));
    return values;
  }();
  float sum = 0;  // exact, by the bound
  for (int i = 0; i < a.k; ++i) sum += kValues[a.line(row)[i]] * kValues[b.line(column)[i]];
  return sum;
}

}  // namespace day::bench
