// Day 04: the stage table, and what each number of stages costs.
#include "day.h"

#include "harness/gemm_day.h"

int main(int argc, char** argv) {
  tcd::harness::GemmDay gemm;
  gemm.info = {"04", "cp.async pipeline", "one to six tiles in flight, one barrier per k-tile", 80};
  gemm.variants = day::variants();
  gemm.shapes = tcd::harness::full_tile_shapes();
  return tcd::harness::run_gemm_day(argc, argv, gemm);
}
