// Day 05: four layouts, their conflicts, and what they are worth.
#include "day.h"

#include "harness/gemm_day.h"

int main(int argc, char** argv) {
  tcd::harness::GemmDay gemm;
  gemm.info = {"05", "swizzle", "four layouts of a tile, and the bank conflicts of each", 80};
  gemm.variants = day::variants();
  gemm.shapes = tcd::harness::full_tile_shapes();
  return tcd::harness::run_gemm_day(argc, argv, gemm);
}
