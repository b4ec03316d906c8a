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

}  // namespace tcd
