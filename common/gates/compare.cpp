#include "gates/compare.h"

#include <mutex>
#include <stdexcept>
#include <string>

#include "gates/parallel.h"

namespace tcd {
namespace {

constexpr std::uint32_t magnitude_mask(OutputType type) {
  return type == OutputType::kF32 ? 0x7FFFFFFFu : 0x7FFFu;
}
constexpr std::uint32_t infinity_bits(OutputType type) {
  return type == OutputType::kF32 ? 0x7F800000u : 0x7C00u;
}

bool earlier(Place x, Place y) { return x.row != y.row ? x.row < y.row : x.col < y.col; }

Comparison compare_rows(const Expected& expected, const OutputView& got, ZeroSign zero, int begin,
                        int end) {
  Comparison part;
  const OutputType type = got.type;
  for (int row = begin; row < end; ++row) {
    for (int col = 0; col < got.layout.cols; ++col) {
      const std::uint32_t want = expected.bits(row, col);
      const std::uint32_t have = got.bits(row, col);
      ++part.compared;
      if ((want & magnitude_mask(type)) >= infinity_bits(type)) ++part.bad_reference;
      if (bits_agree(type, want, have, zero)) continue;
      if (part.different++ == 0) part.first = {row, col};
      if (have == fill_bits(type)) {
        ++part.never_written;
      } else if (bits_are_nan(type, have)) {
        ++part.computed_nan;
      }
    }
  }
  return part;
}

}  // namespace

bool bits_agree(OutputType type, std::uint32_t expected, std::uint32_t got, ZeroSign zero) {
  if (bits_are_nan(type, got)) return false;
  if (expected == got) return true;
  return zero == ZeroSign::kEither && ((expected | got) & magnitude_mask(type)) == 0;
}

Comparison compare_bits(const Expected& expected, const OutputView& got, ZeroSign zero) {
  const Product& product = *expected.product;
  if (product.rows != got.layout.rows || product.cols != got.layout.cols ||
      expected.type != got.type) {
    throw std::invalid_argument(
        "the reference is " + std::to_string(product.rows) + " x " + std::to_string(product.cols) +
        (expected.type == OutputType::kF32 ? " FP32" : " FP16") + ", the output " +
        std::to_string(got.layout.rows) + " x " + std::to_string(got.layout.cols) +
        (got.type == OutputType::kF32 ? " FP32" : " FP16"));
  }
  const std::vector<float>& bias = expected.epilogue.bias;
  if (!bias.empty() && bias.size() != static_cast<std::size_t>(product.cols)) {
    throw std::invalid_argument("the bias has " + std::to_string(bias.size()) +
                                " elements, the output " + std::to_string(product.cols) +
                                " columns");
  }
  Comparison total;
  std::mutex lock;
  parallel_for(product.rows, 16, [&](std::int64_t begin, std::int64_t end) {
    const Comparison part =
        compare_rows(expected, got, zero, static_cast<int>(begin), static_cast<int>(end));
    const std::lock_guard<std::mutex> hold(lock);
    if (part.different > 0 && (total.different == 0 || earlier(part.first, total.first))) {
      total.first = part.first;
    }
    total.compared += part.compared;
    total.different += part.different;
    total.never_written += part.never_written;
    total.computed_nan += part.computed_nan;
    total.bad_reference += part.bad_reference;
  });
  return total;
}

}  // namespace tcd
