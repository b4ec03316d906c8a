// Clock, power and temperature of card 0, read through NVML at run time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tcd::harness {

struct Telemetry {
  int sm_clock_mhz = 0;
  double power_watts = 0;
  int temperature_celsius = 0;
  int memory_clock_mhz = 0;  // half the pin rate, as cudaDevAttrMemoryClockRate has it
  // Why the clock is not higher, NVML's bits: 1 idle, 4 power cap, 8 hardware slowdown, 32 and 64
  // too hot (software, hardware), 128 power brake. 0: nothing holds it back, or not readable.
  uint64_t throttle_reasons = 0;
};

// nullopt where NVML is absent (the emulated device, a machine without a driver) or refuses.
// NVML is opened on the first call; a reading costs well under a millisecond.
std::optional<Telemetry> read_telemetry();

// What the card may do: 0 where NVML is absent or does not say.
struct CardLimits {
  int sm_clock_mhz = 0;
  double power_watts = 0;  // enforced: the lowest of all that are set
};
CardLimits read_card_limits();

// The display driver's version, e.g. "580.159.04"; "" where NVML is absent.
std::string driver_version();

}  // namespace tcd::harness
