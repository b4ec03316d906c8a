#include "gates/matrix.h"

#include <stdexcept>

namespace tcd {
namespace {

void check(int rows, int cols, int padding) {
  if (rows < 1 || cols < 1) {
    throw std::invalid_argument("a matrix of " + std::to_string(rows) + " x " +
                                std::to_string(cols) + " has no elements: both must be at least 1");
  }
  if (padding < 0) {
    throw std::invalid_argument("padding of " + std::to_string(padding) +
                                " elements: rows would overlap, it must be 0 or more");
  }
}

}  // namespace

MatrixLayout row_major(int rows, int cols, int padding) {
  check(rows, cols, padding);
  return {rows, cols, std::int64_t{cols} + padding, Order::kRowMajor};
}

MatrixLayout column_major(int rows, int cols, int padding) {
  check(rows, cols, padding);
  return {rows, cols, std::int64_t{rows} + padding, Order::kColumnMajor};
}

void set_padding(HalfMatrix& matrix, float value) {
  const MatrixLayout& layout = matrix.layout;
  for (int line = 0; line < layout.lines(); ++line) {
    for (std::int64_t i = layout.line_length(); i < layout.ld; ++i) {
      matrix.bits[static_cast<std::size_t>(line * layout.ld + i)] = float_to_half(value);
    }
  }
}

}  // namespace tcd
