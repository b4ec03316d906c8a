#include "gates/exactness.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace tcd {
namespace {

// Weight of the lowest set bit of a finite nonzero value.
double lowest_bit(double value) {
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);  // 53 bits at most
  const auto whole = static_cast<std::int64_t>(std::ldexp(std::fabs(fraction), 53));
  return std::ldexp(static_cast<double>(whole & -whole), exponent - 53);
}

struct Magnitudes {
  double largest = 0;
  double lowest_bit = std::numeric_limits<double>::infinity();  // none: all elements are zero
  double largest_row_sum = 0;
  int largest_row = 0;
  bool finite = true;
};

Magnitudes magnitudes(const HalfMatrix& matrix) {
  Magnitudes result;
  std::vector<char> seen(65536);  // one flag for each bit pattern
  const MatrixLayout& layout = matrix.layout;
  std::vector<double> row_sums(static_cast<std::size_t>(layout.rows));
  for (int line = 0; line < layout.lines(); ++line) {
    const std::uint16_t* bits = matrix.bits.data() + line * layout.ld;
    for (int i = 0; i < layout.line_length(); ++i) {
      const double value = std::fabs(half_to_float(bits[i]));
      row_sums[static_cast<std::size_t>(layout.order == Order::kRowMajor ? line : i)] += value;
      seen[bits[i]] = 1;
    }
  }
  for (std::size_t pattern = 0; pattern < seen.size(); ++pattern) {
    if (seen[pattern] == 0) continue;
    const double value = std::fabs(half_to_float(static_cast<std::uint16_t>(pattern)));
    if (!std::isfinite(value)) {
      result.finite = false;
    } else if (value != 0) {
      result.largest = std::max(result.largest, value);
      result.lowest_bit = std::min(result.lowest_bit, lowest_bit(value));
    }
  }
  const auto worst = std::max_element(row_sums.begin(), row_sums.end());
  result.largest_row_sum = *worst;
  result.largest_row = static_cast<int>(worst - row_sums.begin());
  return result;
}

}  // namespace

ExactnessBound exactness_bound(const HalfMatrix& a, const HalfMatrix& b, int significand_bits,
                               std::span<const float> addends) {
  if (a.layout.cols != b.layout.rows) {
    throw std::invalid_argument("A has " + std::to_string(a.layout.cols) + " columns, B has " +
                                std::to_string(b.layout.rows) + " rows: both are K");
  }
  const Magnitudes in_a = magnitudes(a);
  const Magnitudes in_b = magnitudes(b);
  ExactnessBound bound;
  bound.significand_bits = significand_bits;
  bound.finite = in_a.finite && in_b.finite;
  bound.worst_row = in_a.largest_row;
  double largest = in_a.largest_row_sum * in_b.largest;
  double unit = in_a.lowest_bit * in_b.lowest_bit;
  double largest_addend = 0;
  for (const float addend : addends) {
    if (!std::isfinite(addend)) bound.finite = false;
    if (addend == 0 || !std::isfinite(addend)) continue;
    largest_addend = std::max(largest_addend, std::fabs(static_cast<double>(addend)));
    unit = std::min(unit, lowest_bit(addend));
  }
  largest += largest_addend;
  bound.unit = std::isfinite(unit) ? unit : 1.0;  // everything is zero: any unit will do
  bound.largest_units = bound.finite ? largest / bound.unit : largest;
  return bound;
}

std::string ExactnessBound::explain() const {
  std::ostringstream out;
  out.precision(15);
  if (!finite) {
    out << "sums are not exact: an input is NaN or infinite";
    return out.str();
  }
  out << "sums are at most " << largest_units << " units of " << unit << " (row " << worst_row
      << "), the limit is 2^" << significand_bits << " = " << limit();
  if (holds()) {
    out << ": every order of summation is exact";
  } else {
    out << ": sums may round, so bits cannot be compared. Use a smaller K, fewer distinct "
           "magnitudes, or sparser inputs (signs() with density below "
        << limit() / largest_units << " times the present one)";
  }
  return out.str();
}

}  // namespace tcd
