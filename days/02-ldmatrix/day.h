// The pieces of Day 02 and how they fit: ldmatrix probed, its address rules broken, and the matmul
// beside yesterday's.
#pragma once

#include <string>

#include "harness/control.h"
#include "harness/gemm.h"
#include "harness/session.h"

namespace day {

using tcd::harness::Control;
using tcd::harness::Session;

// kernel.cu: D (f32) = A × B, both row-major.
using GemmArguments = tcd::GemmArguments<float>;
void launch_gemm(const GemmArguments& gemm);
extern const tcd::GemmShape kGemmShape;

// yesterday.cu: Day 01's kernel, the same product from scalar loads.
void launch_scalar_gemm(const GemmArguments& gemm);
extern const tcd::GemmShape kScalarGemmShape;

// probe_gates.cpp: every register of every lane against the tables, x1 to x4 and .trans.
void probe_ldmatrix(Session& session, Control control);

// address_demos.cu: one broken address rule a run, because a fault ends the process's CUDA context.
// Throws UsageError when there is no demo called `name`, CudaError when the device faults.
void run_address_demo(Session& session, const std::string& name);
std::string address_demo_names();

// matmul.cpp: gates, counts and, on a card, times of both matmuls at M = N = K = n.
void require_memory_for(int n);
void gate_matmuls(Session& session, int n, Control control);

}  // namespace day
