// Day 03: one tile geometry, gated on eight shapes.
#include "day.h"

#include "harness/gemm_day.h"

int main(int argc, char** argv) {
  tcd::harness::GemmDay gemm;
  gemm.info = {"03", "CTA tile", "a 128×128×32 tile of eight warps, and column-major B", 80};
  gemm.variants = day::variants();
  gemm.shapes = tcd::harness::full_tile_shapes();
  return tcd::harness::run_gemm_day(argc, argv, gemm);
}
