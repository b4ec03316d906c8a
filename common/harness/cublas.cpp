#include "harness/cublas.h"

#include <dlfcn.h>
#include <library_types.h>

#include <filesystem>
#include <stdexcept>
#include <vector>

#include "harness/cuda_error.h"

namespace tcd::harness {

namespace {

// From cublas_api.h, which is not needed to build: the library alone is over 100 MB.
constexpr int kOpN = 0;
constexpr int kOpT = 1;
constexpr int kCompute32F = 68;
constexpr int kGemmDefault = -1;
constexpr int kDefaultMath = 0;
constexpr int kNoReducedPrecisionSums = 16;  // CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION

}  // namespace

void* open_toolkit_library(const std::string& name) {
  std::vector<std::string> names = {name + ".so.13", name + ".so.12", name + ".so"};
  Dl_info runtime{};
  if (dladdr(reinterpret_cast<void*>(&cudaGetDeviceCount), &runtime) != 0) {
    const auto folder = std::filesystem::path(runtime.dli_fname).parent_path();
    for (int i = 0; i < 3; ++i) names.push_back((folder / names[i]).string());
  }
  for (const std::string& one : names) {
    if (void* library = dlopen(one.c_str(), RTLD_NOW)) return library;
  }
  return nullptr;
}

struct Cublas::Functions {
  int (*create)(void**) = nullptr;
  int (*destroy)(void*) = nullptr;
  int (*version)(void*, int*) = nullptr;
  int (*set_math_mode)(void*, int) = nullptr;
  int (*gemm_ex)(void*, int, int, int, int, int, const void*, const void*, int, int, const void*,
                 int, int, const void*, void*, int, int, int, int) = nullptr;

  bool load(void* library) {
    return find(library, "cublasCreate_v2", create) && find(library, "cublasDestroy_v2", destroy) &&
           find(library, "cublasGetVersion_v2", version) &&
           find(library, "cublasSetMathMode", set_math_mode) &&
           find(library, "cublasGemmEx", gemm_ex);
  }

 private:
  template <typename Function>
  static bool find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
  }
};

std::unique_ptr<Cublas> Cublas::open(std::string& why) {
  void* library = open_toolkit_library("libcublas");
  if (!library) {
    why = "libcublas is not on this machine (it comes with the CUDA toolkit)";
    return nullptr;
  }
  auto functions = std::make_unique<Functions>();
  void* handle = nullptr;
  if (!functions->load(library) || functions->create(&handle) != 0) {
    why = "libcublas was found but would not start";
    return nullptr;
  }
  return std::unique_ptr<Cublas>(new Cublas(std::move(functions), handle));
}

Cublas::Cublas(std::unique_ptr<Functions> functions, void* handle)
    : functions_(std::move(functions)), handle_(handle) {}

Cublas::~Cublas() { functions_->destroy(handle_); }

void Cublas::allow_reduced_precision_sums(bool allow) {
  functions_->set_math_mode(handle_, allow ? kDefaultMath : kNoReducedPrecisionSums);
}

int Cublas::version() const {
  int version = 0;
  functions_->version(handle_, &version);
  return version;
}

// cuBLAS thinks in columns: row-major D is column-major Dᵀ = Bᵀ Aᵀ. B is stored as the K×N
// column-major matrix it is (so it is transposed), and row-major A already is Aᵀ.
void Cublas::gemm(const GemmArguments<__half>& gemm) const {
  const float one = 1;
  const float zero = 0;
  const int status = functions_->gemm_ex(handle_, kOpT, kOpN, gemm.n, gemm.m, gemm.k, &one, gemm.b,
                                         CUDA_R_16F, gemm.ldb, gemm.a, CUDA_R_16F, gemm.lda, &zero,
                                         gemm.d, CUDA_R_16F, gemm.ldd, kCompute32F, kGemmDefault);
  if (status != 0) {
    throw std::runtime_error("cublasGemmEx answered status " + std::to_string(status));
  }
}

}  // namespace tcd::harness
