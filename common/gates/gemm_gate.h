// The gate of every GEMM day: all elements, bit for bit, with a failure that explains itself.
#pragma once

#include <optional>
#include <string>

#include "gates/compare.h"
#include "gates/expected.h"
#include "gates/output.h"
#include "gates/result.h"
#include "gates/tiling.h"

namespace tcd {

struct GemmCase {
  const HalfMatrix* a = nullptr;  // M x K
  const HalfMatrix* b = nullptr;  // K x N
  Expected expected;
  std::optional<Tiling> tiling;  // absent for kernels without mma fragments
  ZeroSign zero = ZeroSign::kPlus;
};

// Compares every element of `got`. A failure lists: how many differ, the first with both values in
// decimal and hex, its CTA, warp, lane and register, and the pattern that explains the data.
GateResult gemm_gate(const std::string& name, const GemmCase& gemm, const OutputView& got);

}  // namespace tcd
