// Inputs for the gates, from a seed. Element (row, col) depends on the seed and on nothing else:
// not on the layout, the padding, the thread count or the platform.
#pragma once

#include <cstdint>

#include "gates/matrix.h"

namespace tcd {

// Hash of (seed, counter): 64 independent-looking bits (the splitmix64 finaliser, public domain).
constexpr std::uint64_t random_bits(std::uint64_t seed, std::uint64_t counter) {
  std::uint64_t z = (seed + 1) * 0xD1342543DE82EF95ull + counter * 0x9E3779B97F4A7C15ull;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ z >> 27) * 0x94D049BB133111EBull;
  return z ^ z >> 31;
}

// Multiples of 0.25 in [-2, 2], the 17 of them equally likely; never -0. Products are multiples of
// 1/16, so FP32 sums are exact in any order while K <= 262144 (exactness.h computes it).
HalfMatrix quarters(const MatrixLayout& layout, std::uint64_t seed);

// -1 and 1 with probability density / 2 each, else 0: for FP16 accumulation, whose sums must stay
// within 2048. Keep density * K below about 1500.
HalfMatrix signs(const MatrixLayout& layout, std::uint64_t seed, double density = 2.0 / 3.0);

// One element `value`, the rest 0. A = one_hot(i, k) and B = one_hot(k, j) give D = one_hot(i, j).
HalfMatrix one_hot(const MatrixLayout& layout, int row, int col, float value = 1.0f);

// Uniform in [-1, 1), rounded to FP16: sums are not exact. For timing only: exact inputs draw less
// power and flatter a kernel on a card at its power cap.
HalfMatrix random_for_timing(const MatrixLayout& layout, std::uint64_t seed);

}  // namespace tcd
