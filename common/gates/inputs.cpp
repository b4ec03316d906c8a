#include "gates/inputs.h"

#include <array>
#include <stdexcept>

#include "gates/parallel.h"

namespace tcd {
namespace {

// Fills with bits(random 64 bits), numbering the elements by their place in the matrix.
template <class Bits>
HalfMatrix fill(const MatrixLayout& layout, std::uint64_t seed, const Bits& bits) {
  HalfMatrix matrix(layout);
  parallel_for(layout.lines(), 64, [&](std::int64_t begin, std::int64_t end) {
    const bool by_row = layout.order == Order::kRowMajor;
    for (std::int64_t line = begin; line < end; ++line) {
      std::uint16_t* out = matrix.bits.data() + line * layout.ld;
      for (int i = 0; i < layout.line_length(); ++i) {
        const std::int64_t number = by_row ? line * layout.cols + i : i * layout.cols + line;
        out[i] = bits(random_bits(seed, static_cast<std::uint64_t>(number)));
      }
    }
  });
  return matrix;
}

}  // namespace

HalfMatrix quarters(const MatrixLayout& layout, std::uint64_t seed) {
  std::array<std::uint16_t, 17> table{};
  for (int i = 0; i < 17; ++i) table[static_cast<std::size_t>(i)] = float_to_half((i - 8) * 0.25f);
  return fill(layout, seed, [&](std::uint64_t r) { return table[(r >> 32) * 17 >> 32]; });
}

HalfMatrix signs(const MatrixLayout& layout, std::uint64_t seed, double density) {
  if (!(density > 0.0 && density <= 1.0)) {
    throw std::invalid_argument("density " + std::to_string(density) +
                                " is not in (0, 1]: it is the share of nonzero elements");
  }
  const auto threshold = static_cast<std::uint64_t>(density * 0x1p32);
  const std::uint16_t plus = float_to_half(1.0f);
  const std::uint16_t minus = float_to_half(-1.0f);
  return fill(layout, seed, [=](std::uint64_t r) -> std::uint16_t {
    if (r >> 32 >= threshold) return 0;
    return (r & 1) != 0 ? plus : minus;
  });
}

HalfMatrix one_hot(const MatrixLayout& layout, int row, int col, float value) {
  if (row < 0 || row >= layout.rows || col < 0 || col >= layout.cols) {
    throw std::out_of_range("one-hot element (" + std::to_string(row) + ", " + std::to_string(col) +
                            ") is outside the " + std::to_string(layout.rows) + " x " +
                            std::to_string(layout.cols) + " matrix");
  }
  HalfMatrix matrix = fill(layout, 0, [](std::uint64_t) -> std::uint16_t { return 0; });
  matrix.set(row, col, value);
  return matrix;
}

HalfMatrix random_for_timing(const MatrixLayout& layout, std::uint64_t seed) {
  return fill(layout, seed, [](std::uint64_t r) {
    return double_to_half(static_cast<double>(r >> 40) * 0x1p-23 - 1.0);
  });
}

}  // namespace tcd
