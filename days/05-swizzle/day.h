// Day 05's kernel, as its harness sees it.
#pragma once

#include <vector>

#include "harness/gemm.h"
#include "harness/shared_memory.h"

namespace day {

using tcd::GemmArguments;

// The four layouts at two stages, and two of them at five, where padding no longer fits every SM.
std::vector<tcd::GemmVariant> variants();

}  // namespace day
