// Day 10's kernel, as its harness sees it.
#pragma once

#include <vector>

#include "harness/gemm.h"
#include "harness/shared_memory.h"

namespace day {

using tcd::GemmArguments;

// variants.cu: m16n8k16 and two m16n8k8, each with its fragments loaded just before they are
// multiplied, and one k-step ahead.
std::vector<tcd::GemmVariant> variants();

}  // namespace day
