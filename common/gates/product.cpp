#include "gates/product.h"

#include <atomic>
#include <sstream>
#include <stdexcept>

#include "gates/exactness.h"
#include "gates/integer_gemm.h"
#include "gates/parallel.h"

namespace tcd {
namespace {

void check_shapes(const HalfMatrix& a, const HalfMatrix& b) {
  if (a.layout.cols == b.layout.rows) return;
  throw std::invalid_argument(
      "A is " + std::to_string(a.layout.rows) + " x " + std::to_string(a.layout.cols) + " and B " +
      std::to_string(b.layout.rows) + " x " + std::to_string(b.layout.cols) +
      ": A's columns and B's rows are both K");
}

constexpr std::int16_t kNotAQuarter = INT16_MIN;
constexpr int kLargestQuarters = 8192;

// FP16 bits to quarters, by table: 65,536 entries of 2 bytes.
std::vector<std::int16_t> quarter_table() {
  std::vector<std::int16_t> table(65536, kNotAQuarter);
  for (int quarters = -kLargestQuarters; quarters <= kLargestQuarters; ++quarters) {
    const double value = quarters * 0.25;
    const std::uint16_t bits = double_to_half(value);
    if (half_to_float(bits) == value) table[bits] = static_cast<std::int16_t>(quarters);
  }
  table[0x8000] = 0;
  return table;
}

// The matrix in quarters, dense. rows_first: element (r, c) at r * cols + c, else at c * rows + r.
std::vector<std::int16_t> in_quarters(const HalfMatrix& matrix, const char* name, bool rows_first) {
  static const std::vector<std::int16_t> table = quarter_table();
  const MatrixLayout& layout = matrix.layout;
  std::vector<std::int16_t> out(static_cast<std::size_t>(layout.rows) *
                                static_cast<std::size_t>(layout.cols));
  const int lines = rows_first ? layout.rows : layout.cols;
  const int length = rows_first ? layout.cols : layout.rows;
  std::atomic<bool> all_quarters{true};
  parallel_for(lines, 16, [&](std::int64_t begin, std::int64_t end) {
    bool good = true;
    for (std::int64_t line = begin; line < end; ++line) {
      for (int i = 0; i < length; ++i) {
        const std::int64_t from = rows_first ? layout.index(line, i) : layout.index(i, line);
        const std::int16_t value = table[matrix.bits[static_cast<std::size_t>(from)]];
        good &= value != kNotAQuarter;
        out[static_cast<std::size_t>(line * length + i)] = value;
      }
    }
    if (!good) all_quarters = false;
  });
  if (all_quarters) return out;
  for (int row = 0; row < layout.rows; ++row) {
    for (int col = 0; col < layout.cols; ++col) {
      const auto at = static_cast<std::size_t>(layout.index(row, col));
      if (table[matrix.bits[at]] != kNotAQuarter) continue;
      std::ostringstream message;
      message << name << "[" << row << "][" << col << "] = " << matrix.at(row, col)
              << " is not a multiple of 0.25 within +-2048: the integer reference needs exact "
                 "inputs (quarters() or signs()); for others use double_reference()";
      throw std::domain_error(message.str());
    }
  }
  throw std::logic_error("an input changed while it was being read");
}

}  // namespace

double dot(const HalfMatrix& a, const HalfMatrix& b, int row, int col) {
  double sum = 0;
  for (int k = 0; k < a.layout.cols; ++k) sum += static_cast<double>(a.at(row, k)) * b.at(k, col);
  return sum;
}

Product double_reference(const HalfMatrix& a, const HalfMatrix& b) {
  check_shapes(a, b);
  Product product{a.layout.rows, b.layout.cols, {}};
  product.values.reserve(static_cast<std::size_t>(product.rows) *
                         static_cast<std::size_t>(product.cols));
  for (int row = 0; row < product.rows; ++row) {
    for (int col = 0; col < product.cols; ++col) {
      const double exact = dot(a, b, row, col);
      const auto rounded = static_cast<float>(exact);
      if (static_cast<double>(rounded) != exact) {  // also true for NaN
        std::ostringstream message;
        message.precision(17);
        message << "the reference D[" << row << "][" << col << "] = " << exact
                << " is no FP32 value, so bits cannot be compared: "
                << exactness_bound(a, b).explain();
        throw std::domain_error(message.str());
      }
      product.values.push_back(rounded);
    }
  }
  return product;
}

Product integer_reference(const HalfMatrix& a, const HalfMatrix& b) {
  check_shapes(a, b);
  const ExactnessBound bound = exactness_bound(a, b);
  if (!bound.holds()) throw std::domain_error("integer reference: " + bound.explain());
  if (bound.largest_units * bound.unit >= 0x1p27) {  // the sums are kept in 32-bit sixteenths
    throw std::domain_error(
        "integer reference: sums may reach 2^27, beyond its 32 bits; use "
        "smaller inputs or double_reference()");
  }
  Product product{a.layout.rows, b.layout.cols, {}};
  const std::vector<std::int16_t> quarters_a = in_quarters(a, "A", true);
  const std::vector<std::int16_t> quarters_b = in_quarters(b, "B", true);
  const std::vector<std::int32_t> sums =
      integer_gemm(product.rows, product.cols, a.layout.cols, quarters_a, quarters_b);
  product.values.resize(sums.size());
  parallel_for(static_cast<std::int64_t>(sums.size()), 1 << 16,
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t i = begin; i < end; ++i) {
                   const auto at = static_cast<std::size_t>(i);
                   product.values[at] = static_cast<float>(sums[at]) * 0.0625f;
                 }
               });
  return product;
}

}  // namespace tcd
