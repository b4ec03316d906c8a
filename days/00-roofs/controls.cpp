// The mistakes this day can be given on purpose.
#include <array>

#include "day.h"
#include "harness/usage.h"

namespace day {

namespace {

constexpr std::array<std::pair<const char*, Control>, 6> kControls = {{
    {"missing-step", Control::kMissingStep},
    {"swapped-fragments", Control::kSwappedFragments},
    {"one-bit", Control::kOneBit},
    {"unwritten", Control::kUnwritten},
    {"short-read", Control::kShortRead},
    {"missing-pass", Control::kMissingPass},
}};

}  // namespace

std::string control_names() {
  std::string names;
  for (const auto& [name, control] : kControls)
    names += (names.empty() ? "" : ", ") + std::string(name);
  return names;
}

Control parse_control(const std::string& name) {
  if (name.empty()) return Control::kNone;
  for (const auto& [known, control] : kControls) {
    if (name == known) return control;
  }
  throw tcd::harness::UsageError("there is no control called '" + name +
                                 "'; choose from: " + control_names());
}

}  // namespace day
