// cuBLAS's lower interface, where its heuristic can be asked for more than its first guess.
#pragma once

#include <memory>
#include <string>

#include "harness/gemm.h"

namespace tcd::bench {

class CublasLt {
 public:
  // nullptr, with the reason in `why`, when it cannot be had.
  static std::unique_ptr<CublasLt> open(std::string& why);
  ~CublasLt();
  CublasLt(const CublasLt&) = delete;

  // Asks for the `most` best algorithms of this size without padding; returns how many there are.
  int guess(int m, int n, int k, int most);
  // The size must be that of the last guess().
  void gemm(const GemmArguments<__half>& gemm, int guess) const;

 private:
  struct Functions;
  struct State;
  explicit CublasLt(std::unique_ptr<Functions> functions, std::unique_ptr<State> state);
  std::unique_ptr<Functions> functions_;
  std::unique_ptr<State> state_;
};

}  // namespace tcd::bench
