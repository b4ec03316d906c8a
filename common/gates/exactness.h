// Why the gates may compare bits: a bound, computed from the very data that is used, under which
// every order of summation gives the same exact result.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "gates/matrix.h"

namespace tcd {

inline constexpr int kFp32SignificandBits = 24;
inline constexpr int kFp16SignificandBits = 11;
// Reported for the FP8 tensor cores of Hopper: about 13 fraction bits are kept while adding.
inline constexpr int kFp8SignificandBits = 13;

// Every product is a multiple of `unit`, and every partial sum, in any order, is at most
// `largest_units` of them. Sums are exact when largest_units <= 2^significand_bits.
struct ExactnessBound {
  double unit = 0;           // weight of the lowest bit that any product (or addend) can have set
  double largest_units = 0;  // max over rows i of sum_k |a_ik| * max |b|, plus max |addend|
  int worst_row = 0;
  int significand_bits = kFp32SignificandBits;
  bool finite = true;  // no NaN or infinity among the inputs

  double limit() const { return static_cast<double>(std::int64_t{1} << significand_bits); }
  bool holds() const { return finite && largest_units <= limit(); }
  // One sentence: the numbers, and when it does not hold, what to change.
  std::string explain() const;
};

// a: M x K, b: K x N. addends: what else is added to a sum (a bias, C), if anything.
// Costs one pass over both matrices.
ExactnessBound exactness_bound(const HalfMatrix& a, const HalfMatrix& b,
                               int significand_bits = kFp32SignificandBits,
                               std::span<const float> addends = {});

}  // namespace tcd
