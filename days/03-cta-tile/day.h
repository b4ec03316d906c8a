// Day 03's kernel, as its harness sees it.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/gemm.h"
#include "harness/session.h"

namespace day {

using tcd::GemmArguments;

std::vector<tcd::GemmVariant> variants();

// hidden_error.cpp: what the FP16 output cannot show. Of the elements of one 256×256×4096 product,
// how many leave the kernel as the same FP16 when the FP32 sum before the store is off by 1/16?
// The smallest error a lost product of quarters can make. Throws CudaError.
struct HiddenError {
  int64_t elements = 0;
  int64_t same_f32 = 0, same_f16 = 0;
};
HiddenError hide_a_sixteenth(const tcd::GemmVariant& variant, uint64_t seed);

}  // namespace day
