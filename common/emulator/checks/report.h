// What the checks have found in a launch. Kept as numbers while the kernel runs, and put into words
// once per source line when it has ended.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "machine/device.h"

namespace tcd::emu {

struct Code;
struct Launch;
struct MicroOp;
struct Warp;

enum class Finding : uint8_t {
  kReadAfterWrite,   // another warp wrote, this one reads, nothing orders the two
  kWriteAfterWrite,  // both write
  kWriteAfterRead,   // another warp read, this one writes
  kLanesMeet,        // lanes of one instruction store different values to one place
  kCopyRead,         // the destination of a cp.async, before the wait that covers it
  kCopyUnpublished,  // after the wait, but another thread's copy and no barrier
  kCopyOverwritten,  // written while a copy may still land there
  kUninitialisedShared,
  kUninitialisedGlobal,
  kLanesUnordered,      // a lane reads what another lane of its warp wrote, no __syncwarp() between
  kBarrierDivergence,   // lanes of a warp arrive at one barrier by different instructions
  kNotInMask,           // a lane runs an instruction whose member mask leaves it out
  kMasksDiffer,         // a mask names a lane that passes another mask
  kGlobalReadAndWrite,  // by different CTAs, nothing orders the two
  kGlobalWrites,        // of different values, by different CTAs
  kGlobalReadAfterWrite,  // by warps of one CTA, nothing orders the two
  kGlobalWriteAfterRead,
  kGlobalWriteAfterWrite,
};

struct Party {
  int warp = -1, lane = -1;  // -1: not known
  uint32_t slot = 0;         // MicroOp::slot of its instruction; 0: not known
  int64_t cta = -1;          // -1: the same
};

struct CheckReport {
  Finding finding = Finding::kReadAfterWrite;
  const MicroOp* op = nullptr;
  const Code* code = nullptr;
  uint64_t cta = 0;
  uint32_t warp = 0, lane = 0;
  uint64_t address = 0;  // kBarrierDivergence: the barrier's number; of masks: the mask
  uint32_t bytes = 0;
  bool copies = false;          // the access that was checked is itself a cp.async
  bool partly_written = false;  // kUninitialisedShared: some of its bytes are
  bool across_warps = false;    // other warps write what this instruction reads, with no barrier
  Party other;
  const MicroOp* other_op = nullptr;  // where no slot says which instruction it was
  const Code* other_code = nullptr;
  // Copies: groups that the thread had committed after this one at its last wait.
  static constexpr int kUncommitted = -1, kNoWaitSince = -2;
  int later_groups = kUncommitted;
};

// Reports of one worker; merged when the launch has ended. The CTA that comes first in the grid
// speaks for an instruction, so the number of threads changes no report.
class ReportLog {
 public:
  void add(const CheckReport& report);
  void merge(const ReportLog& other);
  bool empty() const { return entries_.empty(); }
  // Texts in the order of the CTAs, one for each finding and source line. CTAs beyond the one that
  // faulted are left out: whether they have run depends on the threads.
  std::vector<LaunchError::Report> texts(const Launch& launch) const;

 private:
  struct Entry {
    CheckReport first;
    uint64_t order = 0;  // of discovery, within a worker
    uint64_t times = 0;
  };
  std::map<std::pair<Finding, const MicroOp*>, Entry> entries_;
  uint64_t next_ = 0;
};

// In words: what, where (outermost and innermost source line), who, the other party, what to do.
std::string text_of(const Launch& launch, const CheckReport& report);

// Notes it, or ends the kernel with it: as the settings ask.
void found(Warp& warp, const CheckReport& report);

}  // namespace tcd::emu
