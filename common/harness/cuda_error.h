// CUDA errors as exceptions. A day that meets one ends and says the call's name: with exit code 1
// when its kernel is at fault, else with 2.
#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace tcd::harness {

// A CUDA call failed: environment or kernel fault, never a wrong result.
class CudaError : public std::runtime_error {
 public:
  CudaError(cudaError_t code, const std::string& call)
      : std::runtime_error(call + ": " + cudaGetErrorString(code) + " (" + cudaGetErrorName(code) +
                           ")"),
        code_(code) {}
  cudaError_t code() const { return code_; }

 private:
  cudaError_t code_;
};

// Throws CudaError when `code` is not cudaSuccess. `call` names what was tried, in words.
inline void check(cudaError_t code, const char* call) {
  if (code != cudaSuccess) throw CudaError(code, call);
}

// After a launch: reports a refused configuration at once, then waits for the kernel.
inline void check_launch(const char* kernel) {
  check(cudaGetLastError(), kernel);
  check(cudaDeviceSynchronize(), kernel);
}

}  // namespace tcd::harness
