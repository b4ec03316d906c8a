// Day 09's kernel, as its harness sees it.
#pragma once

#include <string>
#include <vector>

#include "harness/gemm.h"
#include "harness/gemm_arguments.h"
#include "harness/session.h"
#include "harness/shared_memory.h"

namespace day {

using tcd::GemmArguments;

// variants.cu: three stages; without epilogue, with bias + ReLU, and guarded on every shape.
std::vector<tcd::GemmVariant> variants();

// comparisons.cpp: tables over the bench's instances, and the predictions they answer.
void show_registers(tcd::harness::Session& session);
void show_layouts(tcd::harness::Session& session, int m, int n, int k);
void judge_registers(tcd::harness::Session& session);
void judge_accuracy(tcd::harness::Session& session);
void judge_times(tcd::harness::Session& session, int m, int n, int k);

}  // namespace day
