// exercise.json as the checker reads it. Every key it knows is here; an unknown one is an error, so
// that a bar with a slip in its name cannot be a bar that nobody checks.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "gates/matrix.h"

namespace tcd::exercises {

class ManifestError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class Kind : uint8_t { kFragmentMap, kGemm };

// counter (per one `per`, when that is given) must lie between the two.
struct CounterBar {
  std::string counter, per;
  std::optional<double> at_most, at_least;
  std::string why;  // what a teacher would say when it does not
};

// "ldmatrix.trans": the opcode and modifiers it must have, in any order; "cp.async.wait_group 2":
// with this immediate operand first.
struct PtxRule {
  std::string instruction;
  bool required;  // else forbidden
  std::string why;
};

struct GemmSetup {
  Order order_b = Order::kColumnMajor;
  std::array<int, 3> tile{};  // M, N, K of a CTA's tile
  int warps_m = 0, warps_n = 0;
  uint32_t dynamic_shared_bytes = 0;
  std::vector<std::array<int, 3>> shapes;  // M, N, K
};

struct Manifest {
  Kind kind = Kind::kGemm;
  std::string kernel;
  int mma_k = 0;   // fragment-map only
  GemmSetup gemm;  // gemm only
  std::vector<PtxRule> ptx;
  std::vector<CounterBar> counters;
  std::vector<std::string> shown;  // counters named in the verdict besides those with a bar
  std::optional<uint32_t> shared_bytes;
};

Manifest read_manifest(const std::string& path);  // throws ManifestError

}  // namespace tcd::exercises
