// Day 10's kernel, as its harness sees it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/gemm.h"
#include "harness/shared_memory.h"

namespace day {

using tcd::GemmArguments;

// variants.cu: m16n8k16 and two m16n8k8, each with its fragments loaded just before they are
// multiplied, and one k-step ahead.
std::vector<tcd::GemmVariant> variants();

// step_counts.cpp: one launch at 256×384×160 on the emulated device, where it is counted.
struct StepCounts {
  uint64_t ctas = 0, warps = 0, warp_steps = 0;  // warp_steps: k-steps of all warps
  std::map<std::string, uint64_t> counters;
};
StepCounts count_steps(const tcd::GemmVariant& variant);

}  // namespace day
