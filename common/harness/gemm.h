// The one signature every GEMM day implements, and how a day tells the harness what it built.
#pragma once

#include <cuda_fp16.h>

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tcd {

// D (M×N) = A (M×K, f16, row-major) × B (K×N, f16), D row-major. Leading dimensions count elements;
// rows of A and lines of B start on 16-byte boundaries. The order of B and the type of D are the
// day's: row-major and float on Days 01–02, column-major and half from Day 03 on, where the float
// instance of the same kernel exists for the gate: rounding to half hides small errors.
template <typename Output>
struct GemmArguments {
  int m, n, k;
  const __half* a;
  int lda;
  const __half* b;
  int ldb;
  Output* d;
  int ldd;
  const float* bias;  // one a column, from Day 07 on; before that null
  int group;          // tile rows walked together, from Day 06 on; before that 1
};

// What a kernel was built for.
struct GemmShape {
  int cta_m, cta_n, cta_k;
  int threads;
  const void* kernel;  // for cudaFuncGetAttributes
};

// One instance of a day's kernel: a number of stages, a layout, ….
struct GemmVariant {
  std::string name{};                                // "3 stages", unique within the day
  std::vector<std::pair<std::string, int>> knobs{};  // for --json: {"stages", 3}
  GemmShape shape{};
  int warps_m = 0, warps_n = 0;
  size_t dynamic_shared_bytes = 0;
  // What it does to a sum on its way to D: adds the bias of its column, then cuts off below zero;
  // `separate`: by a kernel of its own, so that D is rounded twice.
  bool bias = false, relu = false, separate = false;
  // Tile rows walked together at the headline size, by the day's own choice. 0: none of its own;
  // the day's main() takes that of its headline, the bench 1.
  int group = 0;
  // Also run at the headline size unasked. Any variant does when --variant names it or with --all.
  bool headline = true;
  // Seconds on the emulated device: run there only by --variant or --all. A card runs it always.
  bool on_request = false;
  std::function<void(const GemmArguments<__half>&)> launch{};
  std::function<void(const GemmArguments<float>&)> launch_f32{};
};

}  // namespace tcd
