// Day 04's kernel, as its harness sees it.
#pragma once

#include <vector>

#include "harness/gemm.h"
#include "harness/shared_memory.h"

namespace day {

using tcd::GemmArguments;

std::vector<tcd::GemmVariant> variants();  // 1 to 6 stages

}  // namespace day
