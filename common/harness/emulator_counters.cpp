#include "harness/emulator_counters.h"

#include <dlfcn.h>

#include <vector>

#include "emulator/runtime/emulated_device.h"

namespace tcd::harness {

void reset_counters() {
  auto reset = reinterpret_cast<tcd_counters_reset_fn*>(dlsym(RTLD_DEFAULT, "tcd_counters_reset"));
  if (reset) reset();
}

std::map<std::string, uint64_t> read_counters() {
  auto list = reinterpret_cast<tcd_counter_names_fn*>(dlsym(RTLD_DEFAULT, "tcd_counter_names"));
  auto read = reinterpret_cast<tcd_counter_fn*>(dlsym(RTLD_DEFAULT, "tcd_counter"));
  if (!list || !read) return {};
  std::vector<const char*> names(list(nullptr, 0));
  list(names.data(), static_cast<int>(names.size()));
  std::map<std::string, uint64_t> counters;
  for (const char* name : names) read(name, &counters[name]);
  return counters;
}

}  // namespace tcd::harness
