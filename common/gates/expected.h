// The bits every output element must have: product, then bias, then ReLU, then rounding.
#pragma once

#include <cstdint>
#include <vector>

#include "gates/output.h"
#include "gates/product.h"

namespace tcd {

// What happens to a sum before it is stored.
struct Epilogue {
  std::vector<float> bias;  // one a column, or empty
  bool relu = false;
  // By a kernel of its own, which reads the stored sum: rounded once before all this, once after.
  bool separate = false;

  double apply(double sum, int col) const {
    if (!bias.empty()) sum += bias[static_cast<std::size_t>(col)];
    return relu && !(sum > 0) ? 0.0 : sum;
  }
};

// Refers to the product, which must outlive it.
struct Expected {
  const Product* product = nullptr;
  OutputType type = OutputType::kF32;
  Epilogue epilogue;

  double seen_by_epilogue(double sum) const {
    return epilogue.separate ? value_of_bits(type, bits_of_value(type, sum)) : sum;
  }
  // The bits for a given sum at that column: what the recogniser asks of a wrong one.
  std::uint32_t bits_for(double sum, int col) const {
    return bits_of_value(type, epilogue.apply(seen_by_epilogue(sum), col));
  }
  std::uint32_t bits(int row, int col) const { return bits_for(product->at(row, col), col); }
};

}  // namespace tcd
