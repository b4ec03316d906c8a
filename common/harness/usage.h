// Sizes given on the command line: what is allowed, said to people.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace tcd::harness {

// The user asked for something that cannot be: exit code 2, the message, nothing run.
class UsageError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Parses `text` as the size given for `option` ("--n"): an integer in [multiple, 65536] and a
// multiple of `multiple`. Throws UsageError saying what was wrong and the nearest allowed values.
int parse_size(const std::string& option, const std::string& text, int multiple);

// Throws UsageError when `device_bytes` exceed what the device has free, or `host_bytes` what the
// host has. `what` is the size asked for, e.g. "--n 60000".
void require_memory(const std::string& what, uint64_t device_bytes, uint64_t host_bytes);

std::string human_bytes(uint64_t bytes);  // "1.50 GiB"

}  // namespace tcd::harness
