// A site: one memory instruction of the program, as one worker has seen it. What an instruction
// costs depends only on how its addresses lie to each other, and that seldom changes from one
// execution to the next. So a site keeps the last patterns and their cost, and the common case is
// one comparison and one increment (counters/match.h).
#pragma once

#include <cstdint>

#include "counters/totals.h"

namespace tcd::emu {

// To what the first active lane's address is rounded down to give the base of a pattern: moving all
// lanes by as much changes no cost.
inline constexpr uint32_t kSharedStep = 4;   // ld, st, ldmatrix: bank conflicts
inline constexpr uint32_t kGlobalStep = 32;  // sectors
inline constexpr uint32_t kCopyStep = 128;   // cp.async: lines, in shared and in global memory

// An address pattern and what one execution with it costs. Offsets are relative to the base; those
// of inactive lanes are not looked at.
struct alignas(64) Pattern {
  uint32_t offsets[32] = {};
  uint32_t sources[32] = {};  // cp.async: global addresses in the same way
  uint32_t mask = 0;          // 0: nothing learned yet
  uint32_t reading = 0;       // cp.async: lanes that read, all of their bytes each
  bool in_window = false;     // a generic address that means shared, local or parameter memory
  SiteKind kind = SiteKind::kCount;
  uint64_t repeats = 0;  // executions not yet added to the totals
  MemoryTotals cost;
};

struct Site {
  // Two, because k-tiles of 64 bytes start alternately at the start and in the middle of a 128-byte
  // line: bit 6 of the source address chooses. Others use the first.
  Pattern patterns[2];
  TotalsByKind totals;

  void learn_shared(SiteKind kind, uint32_t mask, const uint32_t* addresses, uint32_t bytes);
  // addresses of generic instructions may lie in a window of [window, window + window_bytes), of
  // which the first shared_bytes are shared memory.
  struct Window {
    uint64_t start = 0, bytes = 0, shared_bytes = 0;
  };
  void learn_global(SiteKind kind, uint32_t mask, const uint64_t* addresses, uint32_t bytes,
                    const Window* generic);
  // Lane i fills `bytes` bytes of shared memory, of which it reads global_bytes[i], from 0 to
  // bytes.
  void learn_copy(uint32_t mask, const uint32_t* shared, const uint64_t* global,
                  const uint32_t* global_bytes, uint32_t bytes, bool bypass_l1);
  static int copy_pattern(uint64_t first_source) { return static_cast<int>(first_source >> 6 & 1); }
  void flush();  // adds what is pending to `totals`

 private:
  Pattern& begin(int which, SiteKind kind, uint32_t mask);
};

}  // namespace tcd::emu
