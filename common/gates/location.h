// Where the wrong elements are: rows 8-15 of every 16, one CTA, one warp, one register, …
#pragma once

#include <string>
#include <vector>

#include "gates/failure_scan.h"

namespace tcd {

// Zero to four lines; none when the wrong elements are everywhere or follow no pattern.
std::vector<std::string> locate_failure(const GemmCase& gemm, const OutputView& got,
                                        const FailureScan& scan);

}  // namespace tcd
