// The bench's own two kernels: device.cu.
#pragma once

#include <cstdint>

namespace tcd::bench {

// Compares `count` 16-bit patterns; both pointers are the device's.
struct Difference {
  unsigned long long wrong = 0;
  unsigned long long first = ~0ull;  // its index
};
Difference compare_bits(const uint16_t* got, const uint16_t* expected, unsigned long long count);

// What the SM clock is right now: 50 µs on one SM, cycles over nanoseconds. Put behind the launch
// that was timed, on the same stream, it sees the clock that launch had, which NVML's reading, an
// average of its own, does not promise. MHz.
void start_clock_probe();
double read_clock_probe();  // waits for it

}  // namespace tcd::bench
