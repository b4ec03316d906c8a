// What a GEMM of the days from 08 on refuses, said to people.
#pragma once

#include "harness/gemm.h"

namespace tcd {

// Throws harness::UsageError, with the value seen and what is allowed, for a size below 1, K no
// multiple of 8, leading dimensions too small or (A, B) no multiple of 8, null pointers, A or B off
// a 16-byte boundary, and sizes whose tile numbers would overflow. Costs nothing beside a launch.
template <typename Output>
void require_supported(const GemmArguments<Output>& gemm, bool needs_bias);

// Whether two neighbouring columns of D and of the bias may be moved by one instruction.
template <typename Output>
bool pairs_aligned(const GemmArguments<Output>& gemm);

}  // namespace tcd
