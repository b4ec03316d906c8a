// The bench's kernel on operands of 8 bits.
//
// Two bytes are where a half was: same copies, same swizzle, same ldmatrix, same registers. Only
// the mma differs. So the kernel is the bench's own text with that one call exchanged.
#pragma once

#include "bench/options.h"
#include "harness/session.h"

namespace day::bench {

struct NarrowKernel {
  const char* name;
  int minimum_compute;
  const char* counter;  // of the emulated device, which its mma moves
  bool integer;         // D is int32; else f32
  tcd::GemmShape shape;
  int warps_m, warps_n;
  // In BenchArguments everything counts pairs of bytes: k, lda, ldb are half of what they mean.
  void (*launch)(const BenchArguments&);
};

NarrowKernel int8_kernel();  // narrow_int8.cu
NarrowKernel fp8_kernel();   // narrow_fp8.cu

// --mma int8 and --mma fp8: gates, counts, and a time where the chip has the instruction.
void run_narrow(tcd::harness::Session& session, const Options& options);

}  // namespace day::bench
