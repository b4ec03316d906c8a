#include "runtime/messages.h"

#include <cstdio>
#include <mutex>
#include <set>
#include <string>

#include "machine/demangle.h"
#include "runtime/settings.h"

namespace tcd::emu::runtime {
namespace {

bool first_time(std::string_view text) {
  static std::mutex mutex;
  static auto* seen = new std::set<std::string, std::less<>>;  // lives through exit handlers
  const std::lock_guard lock(mutex);
  return seen->emplace(text).second;
}

bool is_quiet() {
  try {
    return settings().quiet;
  } catch (const SettingsError&) {
    return false;
  }
}

}  // namespace

void complain(std::string_view text) {
  std::fflush(stdout);  // keeps the order when both go to one terminal or file
  std::fprintf(stderr, "tcd: %.*s\n", static_cast<int>(text.size()), text.data());
}

void complain_once(std::string_view text) {
  if (first_time(text)) complain(text);
}

void note_once(std::string_view text) {
  if (!is_quiet() && first_time(text)) complain(text);
}

std::string readable(const std::string& mangled) { return demangle(mangled); }

}  // namespace tcd::emu::runtime
