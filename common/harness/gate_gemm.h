// Runs one GEMM kernel on exact inputs and gates every bit of what it wrote.
#pragma once

#include <functional>
#include <optional>
#include <string>

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

  std::string text() const;  // "2048×2048×2048"
};

// Inputs are multiples of 0.25 in [−2, 2] from the session's seed; the bound that makes every order
// of summation exact is computed and is a gate of its own. The output starts as NaN between guard
// bands, which are gated too. `control` spoils the run on purpose. Returns whether all passed.
// Output is float or half. Throws CudaError when the kernel faults.
template <typename Output>
bool gate_gemm(Session& session, const std::string& name, const GemmProblem& problem,
               const GemmShape& shape, const std::optional<Tiling>& tiling,
               const std::function<void(const GemmArguments<Output>&)>& launch,
               Control control = Control::kNone);

}  // namespace tcd::harness
