// The pieces of Day 00: what the device says of itself, what its tensor cores issue, what its
// memory delivers, and three ways to misread it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/session.h"

namespace day {

using tcd::harness::Session;

// ---- the tensor instructions (mma_kinds.cuh, kernel.cu)

enum class Operand { kF16, kBf16, kTf32, kInt8, kE4m3 };
enum class Accumulator { kF32, kF16, kS32 };

struct MmaShape {
  const char* name;
  int m, n, k;
  Operand operand;
  Accumulator accumulator;
  int minimum_compute;
  const char* counter;  // of the emulated device, which this instruction moves

  constexpr int operand_bits() const {
    return operand == Operand::kTf32                               ? 32
           : operand == Operand::kF16 || operand == Operand::kBf16 ? 16
                                                                   : 8;
  }
  constexpr int registers_a() const { return m * k * operand_bits() / 1024; }
  constexpr int registers_b() const { return n * k * operand_bits() / 1024; }
  constexpr int registers_d() const {
    return m * n * (accumulator == Accumulator::kF16 ? 16 : 32) / 1024;
  }
  constexpr int flop() const { return 2 * m * n * k; }
};

struct WarpClock {
  long long start, stop;  // clock64 of its SM
};

struct IssueArguments {
  const uint32_t* operands;  // [registers of A, then of B][lane]
  int iterations;            // of the loop
  uint32_t* d;               // [warp of the grid][chain][register][lane]
  WarpClock* clocks;         // [warp of the grid]
};

struct IssueVariant {
  int ilp;  // independent chains a warp
  int mmas_an_iteration;
  const void* kernel;
  void (*launch)(int ctas, int warps, int shared_bytes, const IssueArguments& issue_rate);
};

struct MmaKind {
  MmaShape shape;
  std::vector<IssueVariant> variants;        // ILP 1, 2, 4, 8, with 16 mma an iteration
  std::vector<IssueVariant> longer_loops{};  // ILP 8, with more; of the first kind only
};

inline constexpr int kMostWarps = 16;
inline constexpr int kStepsMultiple = 16;
// FP16 accumulators hold every whole number up to 2,048; a chain starts at 7 at most.
inline constexpr int kMostSteps = 2032;

std::vector<MmaKind> mma_kinds();
extern const bool kHasFp8;  // false: the toolkit that built this cannot assemble it

// ---- mistakes made on purpose (controls.cpp)

enum class Control {
  kNone,
  kMissingStep,       // one iteration of mma fewer than the closed form says
  kSwappedFragments,  // a[0] and a[1] exchanged
  kOneBit,            // one bit of one accumulator, and of one copied word
  kUnwritten,         // write and copy leave out the last 16 bytes
  kShortRead,         // the read leaves out the last 16 bytes
  kMissingPass,       // one pass over the L2-resident buffer fewer than asked for
};
Control parse_control(const std::string& name);
std::string control_names();

// ---- the parts, in the order of the page

// limits.cpp
void show_limits(Session& session);
double queried_memory_clock_mhz();
// GB/s that bus width and this clock allow.
double dram_ceiling(const Session& session, double memory_clock_mhz);

// One instruction's rate on a card.
struct Roof {
  double flop_per_clk_sm = 0;                  // the best of all configurations; 0: not measured
  int warps = 0, ilp = 0;                      // which gave it
  std::map<std::pair<int, int>, double> grid;  // {warps, ilp} → FLOP/clk/SM
  std::map<int, double> loops;  // mma an iteration → FLOP/clk/SM with 4 warps at ILP 8
};
using Roofs = std::map<std::string, Roof>;  // by MmaShape::name
// issue_rate.cpp: gates and counts every instruction; on a card, what passed is measured.
Roofs measure_issue_rates(Session& session, int steps, Control control);

// memory.cpp: the same for DRAM and L2. mebibytes: of each of two buffers; 0: chosen by device.
void measure_memory(Session& session, int mebibytes, Control control);

// traps.cpp: three ways to misread these figures, and the predictions that compare them.
void explain_traps(Session& session, const Roofs& roofs);

}  // namespace day
