#include "runtime/counter_totals.h"

#include <cstring>

#include "runtime/error_state.h"

#pragma GCC visibility push(default)
#include "runtime/emulated_device.h"
#pragma GCC visibility pop

namespace tcd::emu {
namespace {

struct NamedCounter {
  const char* name;
  uint64_t LaunchCounters::*value;
};
constexpr NamedCounter kCounters[] = {
    {"warp_instructions", &LaunchCounters::warp_instructions},
    {"hmma_m16n8k8", &LaunchCounters::hmma_m16n8k8},
    {"hmma_m16n8k16", &LaunchCounters::hmma_m16n8k16},
    {"wmma", &LaunchCounters::wmma},
    {"ldmatrix", &LaunchCounters::ldmatrix},
    {"global_loads", &LaunchCounters::global_loads},
    {"global_stores", &LaunchCounters::global_stores},
    {"shared_loads", &LaunchCounters::shared_loads},
    {"shared_stores", &LaunchCounters::shared_stores},
    {"atomics", &LaunchCounters::atomics},
    {"async_copies", &LaunchCounters::async_copies},
    {"barriers", &LaunchCounters::barriers},
};
constexpr int kCounterCount = sizeof(kCounters) / sizeof(kCounters[0]);

LaunchCounters totals;

}  // namespace

void add_to_totals(const LaunchCounters& counters) { totals += counters; }

}  // namespace tcd::emu

using namespace tcd::emu;

const char* tcd_emulated_profile() {
  try {
    return settings().profile->name.data();  // a string literal, so it ends in NUL
  } catch (const SettingsError&) {
    return nullptr;
  }
}

int tcd_counter(const char* name, uint64_t* value) {
  const std::lock_guard lock(api_mutex());
  for (const NamedCounter& counter : kCounters) {
    if (name == nullptr || value == nullptr || std::strcmp(name, counter.name) != 0) continue;
    *value = totals.*counter.value;
    return 0;
  }
  return -1;
}

int tcd_counter_names(const char** names, int capacity) {
  for (int i = 0; i < kCounterCount && i < capacity; ++i) names[i] = kCounters[i].name;
  return kCounterCount;
}

void tcd_counters_reset() {
  const std::lock_guard lock(api_mutex());
  totals = {};
}
