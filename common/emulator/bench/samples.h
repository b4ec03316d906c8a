// One timing each, as a JSON object.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <stdexcept>

namespace bench {

struct Missing : std::runtime_error {  // the environment lacks something: exit code 2
  using std::runtime_error::runtime_error;
};

// n×n×n by Day 03's kernel. exact: multiples of 0.25, and 256 elements are compared with their
// sums; else uniform in [-1, 1), where the chip truncates.
nlohmann::json gemm_sample(int n, bool exact);
// n×n×n by cblas_sgemm of the OpenBLAS that dlopen finds.
nlohmann::json sgemm_sample(int n);

}  // namespace bench
