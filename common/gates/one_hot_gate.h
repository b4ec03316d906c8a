// One-hot cases through a whole GEMM: A is 1 only at (i, k), B only at (k, j), so D must be 1 only
// at (i, j). A wrong D names the (i, j, k) that went astray, without any arithmetic in the way.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "gates/matrix.h"
#include "gates/output.h"
#include "gates/result.h"

namespace tcd {

// Copies the inputs, runs the kernel, copies d.storage() back. d arrives filled with NaN.
using RunGemm = std::function<void(const HalfMatrix& a, const HalfMatrix& b, GuardedOutput& d)>;

struct OneHotPlan {
  MatrixLayout a;  // M x K
  MatrixLayout b;  // K x N
  MatrixLayout d;  // M x N
  OutputType type = OutputType::kF32;
  int cases = 16;  // the corners first, then places from the seed; each costs one run
  std::uint64_t seed = 1;
};

// Stops at the first case that fails, and spends two more runs to say where A[i][k] and B[k][j]
// ended up.
GateResult one_hot_gate(const std::string& name, const OneHotPlan& plan, const RunGemm& run);

}  // namespace tcd
