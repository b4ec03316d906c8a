// The one driver of the GEMM days from 03 on: gate every variant, count, then time what passed.
#pragma once

#include <functional>
#include <vector>

#include "harness/gate_gemm.h"
#include "harness/gemm.h"
#include "harness/session.h"

namespace tcd::harness {

struct GemmDay {
  DayInfo info;
  std::vector<GemmVariant> variants;
  // Shapes every variant is gated on, both outputs. M ≠ N ≠ K, one tile, many, skinny, padded rows.
  std::vector<GemmProblem> shapes;
  // The size --m --n --k default to: counted on the emulated device, timed on a card.
  GemmProblem headline{4096, 4096, 4096, 0, Order::kColumnMajor};
  // What --m --n --k must be multiples of; 0: the tile.
  int step_m = 0, step_n = 0, step_k = 0;
  // The day's own options, beside those of the driver; read them in before and after.
  std::function<void(CLI::App&)> add_options;
  // The day's own probes, tables and predictions. before: ahead of the gates; after: at the end,
  // with what the driver found.
  std::function<void(Session&)> before;
  struct Findings {
    const GemmVariant* variant;
    bool fits = false;    // the device can hold it
    bool passed = false;  // all its gates
    KernelResources resources;
    std::map<std::string, uint64_t> counters;  // of one headline launch; empty on a card
    double tflops = 0;                         // 0: not timed
  };
  std::function<void(Session&, const std::vector<Findings>&)> after;
};

// Multiples of 128×128×32, B column-major: one tile, one k-tile, fewer k-tiles than any pipeline
// has stages, M ≠ N ≠ K, skinny both ways, padded rows.
std::vector<GemmProblem> full_tile_shapes();

// The day's main(). Options: --m --n --k --variant --all --control --gate-only, and those of
// run_day().
int run_gemm_day(int argc, char** argv, const GemmDay& day);

}  // namespace tcd::harness
