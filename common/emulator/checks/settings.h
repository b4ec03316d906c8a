// Which mistakes are looked for while kernels run, and what happens when one is found.
#pragma once

#include <cstdint>
#include <string_view>

namespace tcd::emu {

enum class CheckMode : uint8_t {
  kOff,
  kReport,  // say it, count it, go on: what a card would do, but not in silence
  kStop,    // the kernel ends there with an error
};

struct CheckSettings {
  CheckMode mode = CheckMode::kReport;
  bool races = true;          // shared memory: warps, and lanes; global memory: CTAs
  bool async = true;          // destinations of cp.async used too early
  bool uninitialised = true;  // reads of shared and global memory that nobody has written
  bool barriers = true;       // one warp at one barrier through different instructions

  bool shared() const { return mode != CheckMode::kOff && (races || async || uninitialised); }
  bool global() const { return mode != CheckMode::kOff && uninitialised; }
  bool global_races() const { return mode != CheckMode::kOff && races; }
};

// "off", "report" or "stop", and after it or alone the names of the only checks wanted: "races",
// "stop,async", "report,races,uninitialised". Throws std::invalid_argument that lists what is
// allowed.
CheckSettings parse_checks(std::string_view text);

}  // namespace tcd::emu
