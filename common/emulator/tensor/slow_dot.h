// One output element in plain integers: for BF16 and TF32 tiles whose exponents leave the range in
// which the vector kernels may use FP32 (magnitudes beyond 2^50 or below 2^-50). About 100 times
// slower; real data hardly ever needs it.
#pragma once

#include "tensor/mma_kernels.h"

namespace tcd::emu {

// d = a . b + c in one step of `count` products, as mma_kernels.h states it, FP32 result rounded
// toward zero. Inputs are FP32 values of the format's own precision (at most 11 significant bits;
// exponents are FP32's, so -126 for subnormals, as BF16 and TF32 have them). Beyond the largest
// FP32 number the result is infinite (from the literature, not recorded).
float slow_dot(const float* a, const float* b, int count, float c, Alignment alignment);

}  // namespace tcd::emu
