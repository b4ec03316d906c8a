// Refuses sizes that do not fit, before anything is allocated.
#pragma once

#include <cstdint>
#include <string>

namespace tcd::harness {

// Throws UsageError when `device_bytes` exceed what the device has free, or `host_bytes` what the
// host has. `what` is the size asked for, e.g. "--n 60000".
void require_memory(const std::string& what, uint64_t device_bytes, uint64_t host_bytes);

}  // namespace tcd::harness
