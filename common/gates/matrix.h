// A matrix in memory: shape, order, and a leading dimension that may be larger than the row.
// All counts are elements, never bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gates/half.h"

namespace tcd {

enum class Order { kRowMajor, kColumnMajor };

struct MatrixLayout {
  int rows = 0;
  int cols = 0;
  std::int64_t ld = 0;  // elements from one row (column-major: column) to the next
  Order order = Order::kRowMajor;

  std::int64_t index(std::int64_t row, std::int64_t col) const {
    return order == Order::kRowMajor ? row * ld + col : col * ld + row;
  }
  int lines() const { return order == Order::kRowMajor ? rows : cols; }        // rows, in memory
  int line_length() const { return order == Order::kRowMajor ? cols : rows; }  // without padding
  // Elements spanned, the padding of the last line included.
  std::size_t span() const {
    return static_cast<std::size_t>(lines()) * static_cast<std::size_t>(ld);
  }
};

// `padding` elements are added to every line. Throws std::invalid_argument for a shape below 1 x 1
// or a negative padding.
MatrixLayout row_major(int rows, int cols, int padding = 0);
MatrixLayout column_major(int rows, int cols, int padding = 0);

// Input padding holds this NaN, so that a kernel that reads past its row computes NaN.
inline constexpr std::uint16_t kInputPadding = 0x7E11;

// An FP16 matrix on the host. bits.data() is what is copied to the device.
struct HalfMatrix {
  MatrixLayout layout;
  std::vector<std::uint16_t> bits;

  explicit HalfMatrix(const MatrixLayout& where)
      : layout(where), bits(where.span(), kInputPadding) {}
  float at(int row, int col) const {
    return half_to_float(bits[static_cast<std::size_t>(layout.index(row, col))]);
  }
  void set(int row, int col, float value) {
    bits[static_cast<std::size_t>(layout.index(row, col))] = float_to_half(value);
  }
};

// Replaces the NaN between the rows. A kernel that reads it then computes numbers, in which the
// gates can recognise which leading dimension or order was wrong.
void set_padding(HalfMatrix& matrix, float value);

}  // namespace tcd
