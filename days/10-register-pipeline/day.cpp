// Day 10: the register pipeline, gated with both mma shapes, ahead and not.
#include "day.h"

#include "harness/gemm_day.h"

int main(int argc, char** argv) {
  tcd::harness::GemmDay gemm;
  gemm.info = {"10", "register pipeline",
               "the next k-step's fragments are loaded while this one is multiplied", 80};
  gemm.variants = day::variants();
  gemm.shapes = tcd::harness::full_tile_shapes();
  int group = 0;
  for (auto& shape : gemm.shapes) shape.group = group++ % 3 + 1;
  gemm.headline.group = 8;
  return tcd::harness::run_gemm_day(argc, argv, gemm);
}
