#include <doctest/doctest.h>

#include <sstream>

#include "harness/ptxas_lines.h"

using tcd::harness::find_ptxas_line;

namespace {

// As the build keeps them: two kernels, two architectures, one of them spilling.
constexpr const char* kLines = R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'ns::gemm(ns::Args)' for 'sm_75'
ptxas info    : Function properties for ns::gemm(ns::Args)
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 56 registers, used 1 barriers, 9728 bytes smem, 416 bytes cmem[0]
ptxas info    : Compiling entry function 'ns::gemm(ns::Args)' for 'sm_80'
ptxas info    : Function properties for ns::gemm(ns::Args)
    16 bytes stack frame, 12 bytes spill stores, 8 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 9728 bytes smem, 416 bytes cmem[0]
ptxas info    : Compiling entry function 'ns::gemm_other(int)' for 'sm_80'
ptxas info    : Used 8 registers, 376 bytes cmem[0]
)";

auto find(const std::string& kernel, const std::string& architecture) {
  std::istringstream lines(kLines);
  return find_ptxas_line(lines, kernel, architecture);
}

}  // namespace

TEST_CASE("the entry of one kernel and architecture is found") {
  REQUIRE(find("ns::gemm(ns::Args)", "sm_75"));
  CHECK(find("ns::gemm(ns::Args)", "sm_75")->registers == 56);
  CHECK(find("ns::gemm(ns::Args)", "sm_75")->spill_store_bytes == 0);
  REQUIRE(find("ns::gemm(ns::Args)", "sm_80"));
  CHECK(find("ns::gemm(ns::Args)", "sm_80")->registers == 40);
  CHECK(find("ns::gemm(ns::Args)", "sm_80")->spill_store_bytes == 12);
  CHECK(find("ns::gemm(ns::Args)", "sm_80")->spill_load_bytes == 8);
}

TEST_CASE("what is not there is not invented") {
  CHECK_FALSE(find("ns::gemm(ns::Args)", "sm_90"));
  CHECK_FALSE(find("ns::gemm", "sm_75"));
  CHECK_FALSE(find("gemm_other(int)", "sm_80"));
}
