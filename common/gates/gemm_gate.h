// The gate of every GEMM day: all elements, bit for bit, with a failure that explains itself.
#pragma once

#include <string>

#include "gates/gemm_case.h"
#include "gates/output.h"
#include "gates/result.h"

namespace tcd {

// Compares every element of `got`. A failure lists: how many differ, the first with both values in
// decimal and hex, its CTA, warp, lane and register, and the pattern that explains the data.
GateResult gemm_gate(const std::string& name, const GemmCase& gemm, const OutputView& got);

}  // namespace tcd
