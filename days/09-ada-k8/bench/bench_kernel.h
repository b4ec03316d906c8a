// What the bench's host code knows of its kernels.
#pragma once

#include <cuda_fp16.h>

#include <cstddef>
#include <string>
#include <vector>

#include "harness/gemm.h"

namespace day::bench {

enum class Mma { kK8, kK16 };
enum class Accumulator { kF32, kF16 };
enum class Epilogue { kNone, kBiasRelu };

constexpr int kTiles = 5, kLayouts = 4, kMostStages = 6;

// GemmArguments, and the knobs that are no template parameters.
struct BenchArguments {
  int m, n, k;
  const half* a;
  int lda;
  const half* b;
  int ldb;
  void* d;  // half, or float for the gate of the accumulators
  int ldd;
  const float* bias;
  int group, layout, stages;
  bool d_is_f32;
};

// One kernel: a tile of one translation unit.
struct Instance {
  int tile = 0;
  Mma mma{};
  Accumulator accumulator{};
  Epilogue epilogue{};
  int min_ctas = 0;  // the launch bound's minimum; 1: none
  tcd::GemmShape shape{};
  int warps_m = 0, warps_n = 0;
  void (*launch)(const BenchArguments&) = nullptr;

  std::string unit() const;  // "k8_f32_none": the file in bench/instances
  std::string text() const;  // "tile 3, k8, f32"
  size_t shared_bytes(int layout, int stages) const;
};

// bench/instances/*.cu, one function each: the five tiles, compiled together.
std::vector<Instance> k8_f32_none();
std::vector<Instance> k8_f32_bias_relu();
std::vector<Instance> k8_f16_none();
std::vector<Instance> k8_f16_bias_relu();
std::vector<Instance> k16_f32_none();
std::vector<Instance> k16_f32_bias_relu();
std::vector<Instance> k16_f16_none();
std::vector<Instance> k16_f16_bias_relu();
// Tiles 1 and 3, k8 and k16, f32, without a minimum of resident CTAs.
std::vector<Instance> no_minimum();

const std::vector<Instance>& all_instances();

// The separate kernel that --unfused is about: D = max(D + bias, 0), in place.
void launch_bias_relu(half* d, int ldd, int m, int n, const float* bias);

}  // namespace day::bench
