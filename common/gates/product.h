// What A x B must be: two references, both exact.
#pragma once

#include <cstdint>
#include <vector>

#include "gates/matrix.h"

namespace tcd {

// The exact product, dense and row-major. Every value is exactly representable in FP32.
struct Product {
  int rows = 0;
  int cols = 0;
  std::vector<float> values;
  float at(int row, int col) const {
    return values[static_cast<std::size_t>(row) * static_cast<std::size_t>(cols) +
                  static_cast<std::size_t>(col)];
  }
};

// One element in double, k ascending: exact for all inputs of the gates. Any layout.
double dot(const HalfMatrix& a, const HalfMatrix& b, int row, int col);

// Straight from the definition, in double: about 1 ns per multiply-add, so for small shapes.
// Throws std::domain_error when a result is no FP32 value (then bits cannot be compared).
Product double_reference(const HalfMatrix& a, const HalfMatrix& b);

// The same in integer arithmetic, blocked, vectorised and on all cores: 2048^3 in well under a
// second. Inputs must be multiples of 0.25, at most 2048 in magnitude (quarters and signs are).
// All sums are exact, so the order does not matter. Throws std::domain_error, naming the element or
// the bound, when an input or the FP32 exactness bound does not fit.
Product integer_reference(const HalfMatrix& a, const HalfMatrix& b);

}  // namespace tcd
