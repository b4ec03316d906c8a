// The pieces of Day 01 and how they fit: three probes, the matmul, and the ladder's row zero.
#pragma once

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

// row_zero.cu: the same product in FP32 on CUDA cores. All dense and row-major.
struct Fp32Arguments {
  int m, n, k;
  const float *a, *b;
  float* d;
};
void launch_row_zero(const Fp32Arguments& gemm);
extern const tcd::GemmShape kRowZeroShape;

// probe.cu: ownership, one-hot products and one tile, for each shape.
void probe_m16n8k8(Session& session, Control control);
void probe_m16n8k16(Session& session);

// probe_wmma.cu: the map WMMA does not promise.
void probe_wmma(Session& session);

// matmul.cu: the gates and, on a card, the times of both matmuls at M = N = K = n.
void require_memory_for(int n);
void gate_matmuls(Session& session, int n, Control control);

}  // namespace day
