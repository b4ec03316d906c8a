// Day 01's kernel, compiled into this day unchanged: counted and timed next to today's.
//
// Its file says `namespace day`, like every day's. Renaming that one word lets both live in one
// executable; the headers come first, so that nothing else is renamed.
#include <cuda_fp16.h>

#include "harness/control.h"
#include "harness/gemm.h"
#include "harness/session.h"
#include "ptx/mma.cuh"

#pragma push_macro("day")
#undef day
#define day yesterday
#include "../01-fragment-probe/kernel.cu"
#pragma pop_macro("day")

namespace day {

void launch_scalar_gemm(const tcd::GemmArguments<float>& gemm) { yesterday::launch_gemm(gemm); }

extern const tcd::GemmShape kScalarGemmShape = yesterday::kGemmShape;

}  // namespace day
