// Matrices of bytes: INT8, or FP8 as e4m3. Lines of k, as both operands lie in memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace day::bench {

struct NarrowMatrix {
  int lines = 0, k = 0, ld = 0;
  std::vector<uint8_t> bytes;
  const uint8_t* line(int i) const { return bytes.data() + size_t(i) * ld; }
};

// INT8: all 256 values. FP8: while K is at most 256 multiples of 0.5 in [−2, 2], above it −1, 0 and
// 1, ever sparser. `padding` bytes behind each line hold what would spoil a sum.
NarrowMatrix exact_bytes(bool integer, int lines, int k, int padding, uint64_t seed);
// For times: every byte that is a number.
NarrowMatrix random_bytes(bool integer, int lines, int k, uint64_t seed);

// What makes every order of summation exact: no partial sum leaves 31 bits, or for FP8 14 bits, in
// units of its smallest product. 14, not 24, is what the chip's FP8 adder keeps.
struct NarrowBound {
  double largest_sum = 0, limit = 0;  // in units
  bool holds() const { return largest_sum <= limit; }
  std::string explain() const;
};
NarrowBound narrow_bound(bool integer, const NarrowMatrix& a, const NarrowMatrix& b);

float from_e4m3(uint8_t bits);
int32_t integer_dot(const NarrowMatrix& a, int row, const NarrowMatrix& b, int column);
float float_dot(const NarrowMatrix& a, int row, const NarrowMatrix& b, int column);

}  // namespace day::bench
