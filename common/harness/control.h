// Mistakes a run can be given on purpose, to see that a gate names them.
#pragma once

#include <string>
#include <vector>

namespace tcd::harness {

enum class Control {
  kNone,
  kUnwritten,         // the last row of CTAs is never launched
  kSwappedFragments,  // rows 0–7 and 8–15 of every 16 traded: a[0] and a[1] swapped
  kTransposedA,       // A read along the wrong direction
  kMissingSlice,      // the last k-slice is left out
  kOneBit,            // one element off by one unit in the last place
  kOutside,           // one element written behind the last row
  kLeadingDimension,  // B's rows taken as packed though they are padded
  kShapeConfused,     // M and N exchanged
};

// Throws UsageError, listing the names, when there is no control called `name`. "" is kNone.
Control parse_control(const std::string& name);
std::string control_names();  // "unwritten, swapped-fragments, …"

}  // namespace tcd::harness
