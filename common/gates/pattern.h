// What a failure looks like, found by testing guesses against the data.
#pragma once

#include <string>
#include <vector>

#include "gates/gemm_case.h"

namespace tcd {

// Lines for the report: where the wrong elements are, which guess explains their values, and where
// to look. "no known pattern" when nothing fits. Costs a few dot products per guess on about 160
// sampled elements: well under a second at K = 4096.
std::vector<std::string> recognise(const GemmCase& gemm, const OutputView& got);

}  // namespace tcd
