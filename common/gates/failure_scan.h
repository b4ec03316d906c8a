// A second look at an output that failed: where the wrong elements are, and a sample of them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "gates/gemm_case.h"

namespace tcd {

struct FailureScan {
  std::int64_t wrong = 0;
  std::int64_t never_written = 0;
  std::int64_t computed_nan = 0;
  std::vector<std::int64_t> wrong_in_row;
  std::vector<std::int64_t> wrong_in_col;
  // By place inside the m16n8 tile, which is by lane and register.
  std::array<std::array<std::int64_t, 8>, 16> wrong_in_tile{};
  // Spread evenly over the matrix, at most kSample of each.
  std::vector<Place> numbers;  // wrong, and no NaN
  std::vector<Place> nans;     // wrong, NaN
  std::vector<Place> right;
};

inline constexpr int kSample = 160;

FailureScan scan_failure(const GemmCase& gemm, const OutputView& got);

}  // namespace tcd
