// A launch's counters as text for people, and as JSON for programs (schema: README.md beside this).
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "machine/device.h"

namespace tcd::emu {

struct LaunchReport {
  std::string kernel;   // as people write it
  std::string symbol;   // as the linker does: kernels of one name may differ
  uint64_t number = 0;  // of the launch in this process, from 1
  Dim3 grid, block;
  uint32_t shared_bytes = 0;  // a CTA, static and dynamic
  bool stopped = false;       // by a fault: the counters end there and depend on timing
  LaunchCounters counters;
  LaunchDetail detail;
};

// Counters that are zero are left out.
std::string report_text(const LaunchReport& launch, const Profile& profile);

// What a process did, launches of one kernel and shape taken together.
class ProcessReport {
 public:
  explicit ProcessReport(const Profile& profile) : profile_(profile) {}
  void add(const LaunchReport& launch);
  void add_check(const std::string& text) { checks_.push_back(text); }
  void add_fault(const std::string& text) { faults_.push_back(text); }
  nlohmann::json json() const;
  std::string text() const;  // that as a file; bytes of names that are no UTF-8 are replaced

 private:
  struct Kernel {
    LaunchReport sum;
    uint64_t launches = 0, stopped = 0;
  };
  const Profile& profile_;
  std::vector<Kernel> kernels_;  // in the order of their first launch
  std::map<std::string, size_t> index_;
  std::vector<std::string> checks_, faults_;
};

}  // namespace tcd::emu
