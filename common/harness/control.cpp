#include "harness/control.h"

#include <array>
#include <utility>

#include "harness/usage.h"

namespace tcd::harness {

namespace {

constexpr std::array<std::pair<const char*, Control>, 8> kControls = {{
    {"unwritten", Control::kUnwritten},
    {"swapped-fragments", Control::kSwappedFragments},
    {"transposed-a", Control::kTransposedA},
    {"missing-slice", Control::kMissingSlice},
    {"one-bit", Control::kOneBit},
    {"outside", Control::kOutside},
    {"leading-dimension", Control::kLeadingDimension},
    {"shape-confused", Control::kShapeConfused},
}};

}  // namespace

Control parse_control(const std::string& name) {
  if (name.empty()) return Control::kNone;
  for (const auto& [known, control] : kControls) {
    if (name == known) return control;
  }
  throw UsageError("there is no control called '" + name + "'; choose from: " + control_names());
}

std::string control_names() {
  std::string names;
  for (const auto& [name, control] : kControls)
    names += (names.empty() ? "" : ", ") + std::string(name);
  return names;
}

}  // namespace tcd::harness
