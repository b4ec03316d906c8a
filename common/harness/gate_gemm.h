// Runs one GEMM kernel on exact inputs and gates every bit of what it wrote.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gates/matrix.h"
#include "gates/tiling.h"
#include "harness/control.h"
#include "harness/gemm.h"
#include "harness/session.h"

namespace tcd::harness {

struct GemmProblem {
  int m = 0, n = 0, k = 0;
  int padding = 0;  // elements added to every line of A, B and D; a multiple of 8
  Order order_b = Order::kRowMajor;
  bool bias = false;  // one multiple of 0.25 a column, large enough to keep most sums positive
  bool relu = false;
  bool separate = false;  // bias and ReLU by a kernel of their own: D is rounded twice
  int group = 1;
  // For kernels that sum in FP16: inputs are −1, 0 and 1, sparse above K = 2048, so that every
  // partial sum is an integer within ±2,048.
  bool fp16_sums = false;

  std::string text() const;  // "2048×2048×2048"
};

// `problem` made lopsided enough for every control to show: M = K > N, rows padded.
GemmProblem shape_for_controls(GemmProblem problem, const GemmShape& shape);

// Inputs are multiples of 0.25 in [−2, 2] from `seed`; the bound that makes every order of
// summation exact is computed, and failing it is a failed gate. The output starts as NaN between
// guard bands, which are gated too. `control` spoils the run on purpose. Output is float or half.
// Returns the gates, output first. Throws CudaError when the kernel faults.
template <typename Output>
std::vector<GateResult> check_gemm(const std::string& name, uint64_t seed,
                                   const GemmProblem& problem, const GemmShape& shape,
                                   const std::optional<Tiling>& tiling,
                                   const std::function<void(const GemmArguments<Output>&)>& launch,
                                   Control control = Control::kNone);

// The same, each gate recorded in the session. Returns whether all passed.
template <typename Output>
bool gate_gemm(Session& session, const std::string& name, const GemmProblem& problem,
               const GemmShape& shape, const std::optional<Tiling>& tiling,
               const std::function<void(const GemmArguments<Output>&)>& launch,
               Control control = Control::kNone) {
  bool passed = true;
  for (auto& gate :
       check_gemm<Output>(name, session.seed(), problem, shape, tiling, launch, control)) {
    passed = session.gate(std::move(gate)) && passed;
  }
  return passed;
}

}  // namespace tcd::harness
