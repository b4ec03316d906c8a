// Day 11: a tile of 128×256 with CTAs that stay, the deepest that the device's shared memory holds.
#include "day.h"

#include "harness/gemm_day.h"

int main(int argc, char** argv) {
  tcd::harness::GemmDay gemm;
  gemm.info = {"11", "wide tile", "128×256, persistent CTAs, and D through shared memory", 80};
  gemm.variants = day::variants();
  gemm.shapes = tcd::harness::full_tile_shapes();
  for (auto& shape : gemm.shapes) {
    shape.n = (shape.n + 255) / 256 * 256;
    shape.k = (shape.k + 63) / 64 * 64;
  }
  int group = 0;
  for (auto& shape : gemm.shapes) shape.group = group++ % 3 + 1;
  gemm.headline.group = 16;
  return tcd::harness::run_gemm_day(argc, argv, gemm);
}
