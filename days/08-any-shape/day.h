// Day 08's kernel, as its harness sees it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "gates/result.h"
#include "harness/gemm.h"
#include "harness/gemm_arguments.h"
#include "harness/shared_memory.h"

namespace day {

using tcd::GemmArguments;

// variants.cu: no epilogue, bias, bias + ReLU, each choosing its instance by the shape; and the
// guarded instance on every shape.
std::vector<tcd::GemmVariant> variants();

// yesterday.cu: Day 07's kernel without epilogue, unchanged, and its registers' owner.
void launch_yesterday(const GemmArguments<__half>& gemm);
const void* yesterdays_kernel();

// edge_counts.cpp: everything one launch counts on the emulated device.
using Launch = std::function<void(const GemmArguments<__half>&)>;
std::map<std::string, uint64_t> count_launch(const Launch& launch, int m, int n, int k);

// refusals.cpp: arguments that must be refused, each with the words that must say why.
tcd::GateResult gate_refusals(const tcd::GemmVariant& variant);

}  // namespace day
