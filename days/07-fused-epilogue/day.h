// Day 07's kernel, as its harness sees it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "gates/result.h"
#include "harness/gemm.h"
#include "harness/shared_memory.h"

namespace day {

using tcd::GemmArguments;

// variants.cu: no epilogue, bias, bias + ReLU, and the last as a kernel of its own.
std::vector<tcd::GemmVariant> variants();
// The separate kernel alone, over a D that is there already.
void launch_bias_relu(const GemmArguments<__half>& gemm);

// rounding.cpp: fused and separate on the same inputs, beside what the host says that rounding once
// and rounding twice give. Exact sums, K = 4096: some need more bits than FP16 has.
struct Rounding {
  int64_t elements = 0;
  int64_t differ = 0;         // fused against separate, as the device stored them
  int64_t predicted = 0;      // rounded once against rounded twice, on the host
  int64_t unpredicted = 0;    // elements where device and host disagree on whether, or on the bits
  int64_t differ_f32 = 0;     // the same with FP32 output, which rounds nothing
  int64_t zero = 0;           // cut off by ReLU: where a wrong sum could hide
  double largest = 0;         // of the differences
  int row = -1, column = -1;  // the first that differs: its sum, bias, and both results
  double sum = 0, bias = 0, once = 0, twice = 0;
};
Rounding compare_rounding(const tcd::GemmVariant& fused, const tcd::GemmVariant& separate,
                          uint64_t seed);

// nan_probe.cpp: one NaN in A must come out as a row of NaN, ReLU or not.
tcd::GateResult gate_nan(const tcd::GemmVariant& variant);

// traffic.cpp: what the separate kernel counts at m × n on the emulated device, and what one launch
// of a variant does.
std::map<std::string, uint64_t> count_separate(int m, int n);
std::map<std::string, uint64_t> count_variant(const tcd::GemmVariant& variant, int m, int n, int k);

}  // namespace day
