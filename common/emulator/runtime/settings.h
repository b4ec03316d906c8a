// What the environment asks of the emulated device.
#pragma once

#include <stdexcept>

#include "checks/settings.h"
#include "profiles/profile.h"

namespace tcd::emu::runtime {

struct Settings {
  const Profile* profile = nullptr;  // TCD_GPU=rtx4090; default rtx4060-laptop
  int threads = 0;                   // TCD_THREADS=2; 0: all cores
  double timeout_seconds = 0;        // TCD_TIMEOUT=10, per launch; 0: none
  CheckSettings checks;              // TCD_CHECKS=off, stop, races,async: checks/settings.h
  bool quiet = false;                // TCD_QUIET=1: no notes on stderr; faults are still reported
};

class SettingsError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Reads the environment on the first call. Throws SettingsError, every time, when a value cannot
// be used: what it was and what is allowed.
const Settings& settings();

}  // namespace tcd::emu::runtime
