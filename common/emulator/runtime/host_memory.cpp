#include "runtime/host_memory.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace tcd::emu::runtime {
namespace {

constexpr uint64_t kUnknown = std::numeric_limits<uint64_t>::max();

// The number a file holds; "max", nothing, or no file: unknown.
uint64_t number_in(const std::string& file) {
  std::ifstream in(file);
  uint64_t value = 0;
  return in >> value ? value : kUnknown;
}

uint64_t left_in_group(const std::string& limit, const std::string& usage) {
  const uint64_t allowed = number_in(limit), used = number_in(usage);
  if (allowed == kUnknown || used == kUnknown) return kUnknown;
  return allowed - std::min(allowed, used);
}

}  // namespace

uint64_t host_memory_left() {
  uint64_t kib = 0;
  bool known = false;
  std::ifstream info("/proc/meminfo");
  std::string name, rest;
  for (uint64_t value = 0; info >> name >> value; std::getline(info, rest)) {
    if (name != "MemAvailable:" && name != "SwapFree:") continue;
    kib += value;
    known = known || name == "MemAvailable:";
  }
  const uint64_t machine = known ? kib * 1024 : kUnknown;
  // A container sees its own group at the root: version 2 of the interface, and version 1.
  const std::string root = "/sys/fs/cgroup/";
  return std::min({machine, left_in_group(root + "memory.max", root + "memory.current"),
                   left_in_group(root + "memory/memory.limit_in_bytes",
                                 root + "memory/memory.usage_in_bytes")});
}

}  // namespace tcd::emu::runtime
