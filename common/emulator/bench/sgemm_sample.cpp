#include <dlfcn.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gates/inputs.h"
#include "samples.h"

namespace bench {
namespace {

constexpr const char* kLibrary = "libopenblas.so.0";
constexpr int kRowMajor = 101, kNoTranspose = 111;  // cblas.h

using Sgemm = void (*)(int, int, int, int, int, int, float, const float*, int, const float*, int,
                       float, float*, int);

template <class Function>
Function symbol(void* library, const char* name) {
  void* const found = dlsym(library, name);
  if (found == nullptr) throw Missing(std::string(kLibrary) + " has no " + name);
  return reinterpret_cast<Function>(found);
}

std::vector<float> uniform(size_t count, uint64_t seed) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) {
    values[i] = static_cast<float>(tcd::random_bits(seed, i) >> 40) * 0x1p-23f - 1.0f;
  }
  return values;
}

}  // namespace

nlohmann::json sgemm_sample(int n) {
  void* const library = dlopen(kLibrary, RTLD_NOW);
  if (library == nullptr) {
    throw Missing(std::string(kLibrary) +
                  " is not installed, so there is nothing to compare with.\n"
                  "Install it: sudo apt-get install -y libopenblas0-pthread");
  }
  const auto sgemm = symbol<Sgemm>(library, "cblas_sgemm");
  const auto core = symbol<char* (*)()>(library, "openblas_get_corename");
  const auto config = symbol<char* (*)()>(library, "openblas_get_config");
  const auto threads = symbol<int (*)()>(library, "openblas_get_num_threads");
  const auto count = static_cast<size_t>(n) * static_cast<size_t>(n);
  const std::vector<float> a = uniform(count, 1), b = uniform(count, 2);
  std::vector<float> c(count);
  const auto multiply = [&](int size) {
    sgemm(kRowMajor, kNoTranspose, kNoTranspose, size, size, size, 1.0f, a.data(), n, b.data(), n,
          0.0f, c.data(), n);
  };
  multiply(128);  // starts its threads
  const auto start = std::chrono::steady_clock::now();
  multiply(n);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  return {{"seconds", time.count()},
          {"core", core()},
          {"config", config()},
          {"threads", threads()},
          {"first", c[0]}};
}

}  // namespace bench
