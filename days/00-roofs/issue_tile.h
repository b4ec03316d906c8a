// The one tile every mma of the day multiplies, and what its accumulators must hold afterwards.
#pragma once

#include <cstdint>
#include <vector>

#include "day.h"

namespace day {

// A has one ±1 a row, B only −1, 0 and 1: so has A × B. After N steps chain c holds c + N · A × B,
// exactly, in every type, while c + N ≤ 2,048.
class IssueTile {
 public:
  IssueTile(const MmaShape& shape, uint64_t seed);

  std::vector<uint32_t> operands() const;  // IssueArguments::operands
  int product(int row, int column) const { return product_[row * shape_.n + column]; }

  // Element `i` of accumulator register `r` of `lane`: i is 0 but for two halves a register.
  struct Place {
    int row, column;
  };
  Place place(int lane, int r, int i) const;
  // What a warp must store, in the order of IssueArguments::d.
  std::vector<uint32_t> expected(int ilp, int steps) const;
  double decode(uint32_t word, int i) const;

 private:
  uint32_t accumulator_bits(int value) const;

  MmaShape shape_;
  std::vector<int> a_, b_, product_;
};

}  // namespace day
