// What the memory instructions of one kind have done.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "counters/cache_model.h"
#include "counters/instruction_kind.h"
#include "counters/timeline.h"

namespace tcd::emu {

enum class SiteKind : uint8_t {
  kSharedLoad,
  kSharedStore,
  kMatrixLoad,   // ldmatrix
  kMatrixStore,  // stmatrix
  kAsyncCopy,    // cp.async: wavefronts of its writes, sectors of its reads
  kGlobalLoad,
  kGlobalStore,
  kCount,
};
inline constexpr int kSiteKinds = static_cast<int>(SiteKind::kCount);
// "ldmatrix", "shared load", …
const char* name_of(SiteKind kind);

struct MemoryTotals {
  uint64_t executed = 0;          // warp instructions
  uint64_t wavefronts = 0;        // passes through shared memory; 0 for global loads and stores
  uint64_t ideal_wavefronts = 0;  // the same without a conflict
  uint64_t sectors = 0;           // 32-byte sectors of global memory asked for
  uint64_t bytes = 0;             // that the active lanes asked for

  uint64_t bank_conflicts() const { return wavefronts - ideal_wavefronts; }
  // Adds `times` instructions that cost `one` each.
  void add(const MemoryTotals& one, uint64_t times) {
    executed += one.executed * times;
    wavefronts += one.wavefronts * times;
    ideal_wavefronts += one.ideal_wavefronts * times;
    sectors += one.sectors * times;
    bytes += one.bytes * times;
  }
  bool operator==(const MemoryTotals&) const = default;
};

using TotalsByKind = std::array<MemoryTotals, kSiteKinds>;

// One line of the source.
struct LineTotals {
  std::string place;  // "kernel.cu:42", with the innermost line in brackets when it was inlined; ""
  InstructionCounts instructions{};  // PTX instructions executed by warps
  TotalsByKind memory{};
  CacheTraffic caches;  // zero unless LaunchDetail::has_caches
};

// What a launch did, place by place. It costs time, so it is counted for those who ask.
struct LaunchDetail {
  std::vector<LineTotals> lines;  // in program order, only those that were executed
  bool has_caches = false;        // asked for, and the model could follow
  CacheTraffic caches;
  std::vector<StepRun> timeline;           // of the first CTA, if asked for
  std::map<std::string, uint64_t> tensor;  // "mma.m16n8k16.f32.f16.f16.f32" -> executed

  InstructionCounts instructions() const;  // all lines
  void add(const LaunchDetail& other);     // another launch of the kernel
};

}  // namespace tcd::emu
