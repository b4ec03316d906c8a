// Day 03's kernel, as its harness sees it.
#pragma once

#include <vector>

#include "harness/gemm.h"

namespace day {

using tcd::GemmArguments;

std::vector<tcd::GemmVariant> variants();

}  // namespace day
