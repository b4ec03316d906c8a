#include "harness/usage.h"

#include <cuda_runtime_api.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>

#include "harness/cuda_error.h"

namespace tcd::harness {

namespace {

constexpr int kLargestSize = 65536;  // element indices stay below 2^32, FP32 sums stay exact

}  // namespace

int parse_size(const std::string& option, const std::string& text, int multiple) {
  const std::string allowed = "allowed: a multiple of " + std::to_string(multiple) + " from " +
                              std::to_string(multiple) + " to " + std::to_string(kLargestSize);
  long long value = 0;
  const char* end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::result_out_of_range) {
    throw UsageError(option + " " + text + " is far too large; " + allowed);
  }
  if (error != std::errc() || stop != end) {
    throw UsageError(option + " '" + text + "' is not a whole number; " + allowed);
  }
  if (value < 1) throw UsageError(option + " " + text + " is not positive; " + allowed);
  if (value > kLargestSize) throw UsageError(option + " " + text + " is too large; " + allowed);
  if (value % multiple != 0) {
    const long long below = value / multiple * multiple;
    std::string nearest = std::to_string(below + multiple);
    if (below > 0) nearest = std::to_string(below) + " or " + nearest;
    throw UsageError(option + " " + text + " is not a multiple of the tile (" +
                     std::to_string(multiple) + "); nearest: " + nearest);
  }
  return static_cast<int>(value);
}

void require_memory(const std::string& what, uint64_t device_bytes, uint64_t host_bytes) {
  size_t free_bytes = 0;
  size_t total_bytes = 0;
  check(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
  if (device_bytes > free_bytes) {
    throw UsageError(what + " needs " + human_bytes(device_bytes) +
                     " of device memory, this device has " + human_bytes(free_bytes) +
                     " free; choose a smaller one");
  }
  const uint64_t host_free = static_cast<uint64_t>(sysconf(_SC_AVPHYS_PAGES)) *
                             static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  if (host_bytes > host_free) {
    throw UsageError(what + " needs " + human_bytes(host_bytes) +
                     " of host memory for the reference, this machine has " +
                     human_bytes(host_free) + " free; choose a smaller one");
  }
}

std::string human_bytes(uint64_t bytes) {
  const char* units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  int unit = 0;
  while (value >= 1024 && unit < 4) {
    value /= 1024;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.2f %s", value, units[unit]);
  return text;
}

}  // namespace tcd::harness
