#include "harness/memory_need.h"

#include <cuda_runtime_api.h>
#include <unistd.h>

#include <cstdio>

#include "harness/cuda_error.h"
#include "harness/usage.h"

namespace tcd::harness {

namespace {

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

}  // namespace

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

}  // namespace tcd::harness
