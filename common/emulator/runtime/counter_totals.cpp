#include "runtime/counter_totals.h"

#include "counters/counter_table.h"
#include "runtime/error_state.h"

#pragma GCC visibility push(default)
#include "runtime/emulated_device.h"
#pragma GCC visibility pop

namespace tcd::emu::runtime {
namespace {

LaunchCounters totals;

}  // namespace

void add_to_totals(const LaunchCounters& counters) { totals += counters; }

}  // namespace tcd::emu::runtime

using namespace tcd::emu;
using namespace tcd::emu::runtime;

const char* tcd_emulated_profile() {
  try {
    return settings().profile->name.data();  // a string literal, so it ends in NUL
  } catch (const SettingsError&) {
    return nullptr;
  }
}

const char* tcd_settings_error() {
  static const auto* const text = [] {
    try {
      settings();
      return static_cast<std::string*>(nullptr);
    } catch (const SettingsError& error) {
      return new std::string(error.what());
    }
  }();
  return text != nullptr ? text->c_str() : nullptr;
}

int tcd_counter(const char* name, uint64_t* value) {
  const std::lock_guard lock(api_mutex());
  const Counter* counter = name != nullptr ? find_counter(name) : nullptr;
  if (counter == nullptr || value == nullptr) return -1;
  *value = counter->value(totals);
  return 0;
}

int tcd_counter_names(const char** names, int capacity) {
  const auto table = counter_table();
  const int count = static_cast<int>(table.size());
  for (int i = 0; i < count && i < capacity; ++i) names[i] = table[static_cast<size_t>(i)].name;
  return count;
}

void tcd_counters_reset() {
  const std::lock_guard lock(api_mutex());
  const uint64_t reports = totals.check_reports;  // a verdict is not lost by counting anew
  totals = {};
  totals.check_reports = reports;
}
