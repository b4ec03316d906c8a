// bench_emulator exact|random|sgemm N: one sample, one JSON object on stdout. common/cli runs it in
// a process each, in turn, so that peaks of memory and settings stay apart.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>

#include "samples.h"

int main(int argc, char** argv) {
  const std::string what = argc == 3 ? argv[1] : "";
  const int n = argc == 3 ? std::atoi(argv[2]) : 0;
  const bool known = what == "exact" || what == "random" || what == "sgemm";
  if (!known || n <= 0 || n % 128 != 0 || n > 16384) {
    std::fprintf(stderr, "usage: bench_emulator exact|random|sgemm N, a multiple of 128\n");
    return 2;
  }
  try {
    const nlohmann::json sample =
        what == "sgemm" ? bench::sgemm_sample(n) : bench::gemm_sample(n, what == "exact");
    std::printf("%s\n", sample.dump().c_str());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
