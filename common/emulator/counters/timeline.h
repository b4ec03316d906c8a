// What the warps of one CTA did, in each warp's own order: copies, waits, barriers, ldmatrix, mma.
// There is no time in it, only order. Recorded for the first CTA of a launch, and only on request.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "machine/code.h"

namespace tcd::emu {

enum class Step : uint8_t {
  kNone,   // no instruction of the program
  kOther,  // numbered, not recorded
  kCopy,
  kCommit,
  kWait,
  kBarrier,
  kMatrixLoad,
  kMma,
};
const char* name_of(Step step);  // "cp.async", "commit", …

// `count` instructions of one kind, with no other recorded one between them.
struct StepRun {
  uint32_t warp = 0;
  Step step = Step::kNone;
  int64_t pending = 0;           // kWait: how many groups may stay in flight; -1: nothing may
  uint64_t first = 0, last = 0;  // PTX instructions of the warp, from 0
  uint64_t count = 0;
};

class Timeline {
 public:
  explicit Timeline(uint32_t warps) : next_(warps) {}
  // The warp comes to op of `code`; `runs`: its guard is true for a lane.
  void note(uint32_t warp, const Code& code, const MicroOp& op, bool runs);
  const std::vector<StepRun>& runs() const { return runs_; }

 private:
  const std::vector<Step>& steps_of(const Code& code);

  std::unordered_map<const Code*, std::vector<Step>> steps_;
  struct Next {
    uint64_t instruction = 0;
    size_t run = ~size_t{0};  // the latest, if the next instruction may join it
  };
  std::vector<Next> next_;  // by warp
  std::vector<StepRun> runs_;
};

}  // namespace tcd::emu
