// Clock, power and temperature of card 0, read through NVML at run time.
#pragma once

#include <optional>
#include <string>

namespace tcd::harness {

struct Telemetry {
  int sm_clock_mhz = 0;
  double power_watts = 0;
  int temperature_celsius = 0;
  int memory_clock_mhz = 0;  // half the pin rate, as cudaDevAttrMemoryClockRate has it
};

// nullopt where NVML is absent (the emulated device, a machine without a driver) or refuses.
// NVML is opened on the first call; a reading costs well under a millisecond.
std::optional<Telemetry> read_telemetry();

// The display driver's version, e.g. "580.159.04"; "" where NVML is absent.
std::string driver_version();

}  // namespace tcd::harness
