#include "runtime/settings.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>

#include "machine/micro_op.h"

namespace tcd::emu::runtime {
namespace {

// nullptr when unset or empty.
const char* environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

// A number from `lowest` to `highest`, or SettingsError.
double number(const char* name, double lowest, double highest, double fallback) {
  const char* text = environment(name);
  if (text == nullptr) return fallback;
  char* end = nullptr;
  const double value = std::strtod(text, &end);
  if (*end == '\0' && std::isfinite(value) && value >= lowest && value <= highest) return value;
  throw SettingsError(std::string(name) + "=" + text + " is not a number from " +
                      std::to_string(static_cast<long>(lowest)) + " to " +
                      std::to_string(static_cast<long>(highest)));
}

Settings read_environment() {
  Settings read;
  const char* wanted = environment("TCD_GPU");
  const std::string_view name = wanted != nullptr ? wanted : kDefaultProfile;
  read.profile = find_profile(name);
  if (read.profile == nullptr) {
    throw SettingsError("TCD_GPU=" + std::string(name) + ": " + unknown_profile_message(name));
  }
  const double threads = number("TCD_THREADS", 0, 1024, 0);
  if (threads != std::floor(threads)) {
    throw SettingsError("TCD_THREADS=" + std::string(environment("TCD_THREADS")) +
                        " is not a whole number; 0 means all cores");
  }
  read.threads = static_cast<int>(threads);
  read.timeout_seconds = number("TCD_TIMEOUT", 0, 1e6, 0);
  if (const char* checks = environment("TCD_CHECKS"); checks != nullptr) {
    try {
      read.checks = parse_checks(checks);
    } catch (const std::invalid_argument& error) {
      throw SettingsError("TCD_CHECKS=" + std::string(checks) + ": " + error.what());
    }
  }
  if (const char* isa = environment("TCD_ISA"); isa != nullptr && !isa_named(isa)) {
    throw SettingsError("TCD_ISA=" + std::string(isa) + " cannot be used: this processor has " +
                        available_isas());
  }
  const char* quiet = environment("TCD_QUIET");
  read.quiet = quiet != nullptr && std::strcmp(quiet, "0") != 0;
  return read;
}

}  // namespace

const Settings& settings() {
  // A throw leaves it unset: tried again. Never freed: exit handlers may still launch.
  static const auto* read = new Settings(read_environment());
  return *read;
}

}  // namespace tcd::emu::runtime
