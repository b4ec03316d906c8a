// cuBLAS, opened at run time on a card: the library kernel every day is compared with.
#pragma once

#include <memory>
#include <string>

#include "harness/gemm.h"

namespace tcd::harness {

// A library of the toolkit, "libcublas", under its usual names and in the folder the CUDA runtime
// itself came from. nullptr when there is none.
void* open_toolkit_library(const std::string& name);

// One handle. D (f16, row-major) = A (row-major) × B (column-major), summed in f32: the layout for
// which cuBLAS picks a _tn kernel, its fastest. Pick another, and "% of cuBLAS" is flattery.
class Cublas {
 public:
  // nullptr, with the reason in `why`, when the library or its handle cannot be had.
  static std::unique_ptr<Cublas> open(std::string& why);
  ~Cublas();
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;

  void gemm(const GemmArguments<__half>& gemm) const;  // throws CudaError
  // Whether split-K may add its partial sums in the type of D. cuBLAS's default is yes, and then
  // its result is no reference.
  void allow_reduced_precision_sums(bool allow);
  int version() const;  // 130002 for 13.0.2

 private:
  struct Functions;
  explicit Cublas(std::unique_ptr<Functions> functions, void* handle);
  std::unique_ptr<Functions> functions_;
  void* handle_;
};

}  // namespace tcd::harness
