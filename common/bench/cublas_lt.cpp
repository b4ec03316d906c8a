#include "bench/cublas_lt.h"

#include <dlfcn.h>
#include <library_types.h>

#include <stdexcept>
#include <vector>

#include "harness/cublas.h"
#include "harness/device_buffer.h"

namespace tcd::bench {

// From cublasLt.h, which is not needed to build. The structures are NVIDIA's, stable since CUDA 11.
struct LtAlgorithm {
  uint64_t data[8];
};
struct LtGuess {
  LtAlgorithm algorithm;
  size_t workspace_bytes;
  int status;
  float waves;
  int reserved[4];
};
static_assert(sizeof(LtGuess) == 96);

namespace {

constexpr int kCompute32F = 68;
constexpr int kTransposeA = 3, kTransposeB = 4;  // CUBLASLT_MATMUL_DESC_TRANSA, …TRANSB
constexpr int kMostWorkspace = 1;                // CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES
constexpr int kOpN = 0, kOpT = 1;
constexpr size_t kWorkspaceBytes = 64 << 20;

void require(int status, const char* call) {
  if (status != 0) {
    throw std::runtime_error(std::string(call) + " answered status " + std::to_string(status));
  }
}

}  // namespace

struct CublasLt::Functions {
  int (*create)(void**) = nullptr;
  int (*destroy)(void*) = nullptr;
  int (*create_operation)(void**, int, int) = nullptr;
  int (*set_operation)(void*, int, const void*, size_t) = nullptr;
  int (*create_layout)(void**, int, uint64_t, uint64_t, int64_t) = nullptr;
  int (*create_preference)(void**) = nullptr;
  int (*set_preference)(void*, int, const void*, size_t) = nullptr;
  int (*heuristic)(void*, void*, void*, void*, void*, void*, void*, int, LtGuess*, int*) = nullptr;
  int (*matmul)(void*, void*, const void*, const void*, void*, const void*, void*, const void*,
                const void*, void*, void*, void*, const LtAlgorithm*, void*, size_t,
                cudaStream_t) = nullptr;

  bool load(void* library) {
    const auto find = [&](const char* name, auto& function) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, name));
      return function != nullptr;
    };
    return find("cublasLtCreate", create) && find("cublasLtDestroy", destroy) &&
           find("cublasLtMatmulDescCreate", create_operation) &&
           find("cublasLtMatmulDescSetAttribute", set_operation) &&
           find("cublasLtMatrixLayoutCreate", create_layout) &&
           find("cublasLtMatmulPreferenceCreate", create_preference) &&
           find("cublasLtMatmulPreferenceSetAttribute", set_preference) &&
           find("cublasLtMatmulAlgoGetHeuristic", heuristic) && find("cublasLtMatmul", matmul);
  }
};

// A few descriptors a process: they live until it ends.
struct CublasLt::State {
  void *handle = nullptr, *operation = nullptr;
  void *a = nullptr, *b = nullptr, *d = nullptr;
  std::vector<LtGuess> guesses;
  harness::DeviceBuffer<std::byte> workspace{kWorkspaceBytes};
};

CublasLt::CublasLt(std::unique_ptr<Functions> functions, std::unique_ptr<State> state)
    : functions_(std::move(functions)), state_(std::move(state)) {}

CublasLt::~CublasLt() { functions_->destroy(state_->handle); }

std::unique_ptr<CublasLt> CublasLt::open(std::string& why) {
  void* library = harness::open_toolkit_library("libcublasLt");
  if (!library) {
    why = "libcublasLt is not on this machine (it comes with the CUDA toolkit)";
    return nullptr;
  }
  auto functions = std::make_unique<Functions>();
  auto state = std::make_unique<State>();
  if (!functions->load(library) || functions->create(&state->handle) != 0) {
    why = "libcublasLt was found but would not start";
    return nullptr;
  }
  return std::unique_ptr<CublasLt>(new CublasLt(std::move(functions), std::move(state)));
}

// As harness/cublas.cpp: cuBLAS thinks in columns, so it is asked for Dᵀ = Bᵀ Aᵀ.
int CublasLt::guess(int m, int n, int k, int most) {
  State& state = *state_;
  const Functions& call = *functions_;
  require(call.create_operation(&state.operation, kCompute32F, CUDA_R_32F), "MatmulDescCreate");
  require(call.set_operation(state.operation, kTransposeA, &kOpT, sizeof kOpT), "TRANSA");
  require(call.set_operation(state.operation, kTransposeB, &kOpN, sizeof kOpN), "TRANSB");
  require(call.create_layout(&state.b, CUDA_R_16F, k, n, k), "MatrixLayoutCreate");
  require(call.create_layout(&state.a, CUDA_R_16F, k, m, k), "MatrixLayoutCreate");
  require(call.create_layout(&state.d, CUDA_R_16F, n, m, n), "MatrixLayoutCreate");
  void* preference = nullptr;
  require(call.create_preference(&preference), "MatmulPreferenceCreate");
  const uint64_t bytes = kWorkspaceBytes;
  require(call.set_preference(preference, kMostWorkspace, &bytes, sizeof bytes), "the workspace");
  state.guesses.resize(most);
  int found = 0;
  const int status = call.heuristic(state.handle, state.operation, state.b, state.a, state.d,
                                    state.d, preference, most, state.guesses.data(), &found);
  if (status != 0) found = 0;  // the size is none of its own: the plain call may know better
  return found;
}

void CublasLt::gemm(const GemmArguments<__half>& gemm, int guess) const {
  const State& state = *state_;
  const float one = 1, zero = 0;
  require(
      functions_->matmul(state.handle, state.operation, &one, gemm.b, state.b, gemm.a, state.a,
                         &zero, gemm.d, state.d, gemm.d, state.d, &state.guesses[guess].algorithm,
                         state.workspace.data(), kWorkspaceBytes, nullptr),
      "cublasLtMatmul");
}

}  // namespace tcd::bench
