// Everything the gates know about one run of a GEMM.
#pragma once

#include <optional>

#include "gates/compare.h"
#include "gates/expected.h"
#include "gates/matrix.h"
#include "gates/tiling.h"

namespace tcd {

// a: M x K, b: K x N. All pointers must outlive the case.
struct GemmCase {
  const HalfMatrix* a = nullptr;
  const HalfMatrix* b = nullptr;
  Expected expected;
  std::optional<Tiling> tiling;  // absent for kernels without mma fragments
  ZeroSign zero = ZeroSign::kPlus;

  int m() const { return a->layout.rows; }
  int n() const { return b->layout.cols; }
  int k() const { return a->layout.cols; }
};

}  // namespace tcd
