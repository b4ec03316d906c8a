// What to tell a person whose accumulators are wrong.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "issue_tile.h"

namespace day {

struct IssueRun {
  int ilp, warps, steps;
};

// How many elements differ, the first of them with everything that names its place, and what is
// recognised: too few steps, A's fragment registers exchanged. `expected` is one warp's, `got` all.
std::vector<std::string> describe_mismatch(const MmaShape& shape, const IssueTile& tile,
                                           const IssueRun& run,
                                           const std::vector<uint32_t>& expected,
                                           const std::vector<uint32_t>& got);

}  // namespace day
