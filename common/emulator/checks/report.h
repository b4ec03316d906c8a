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
};

struct Party {
  int warp = -1, lane = -1;  // -1: not known
  uint32_t slot = 0;         // MicroOp::slot of its instruction; 0: not known
};

struct CheckReport {
  Finding finding = Finding::kReadAfterWrite;
  const MicroOp* op = nullptr;
  const Code* code = nullptr;
  uint64_t cta = 0;
  uint32_t warp = 0, lane = 0;
  uint64_t address = 0;
  uint32_t bytes = 0;
  bool copies = false;  // the access that was checked is itself a cp.async
  Party other;
  int later_groups = -1;  // copies: groups the thread committed after this one; -1: uncommitted
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
  std::map<std::pair<Finding, uint32_t>, Entry> entries_;  // by finding and slot
  uint64_t next_ = 0;
};

// In words: what, where (outermost and innermost source line), who, the other party, what to do.
std::string text_of(const Launch& launch, const CheckReport& report);

}  // namespace tcd::emu
