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

enum class Kind : uint8_t { kFragmentMap, kGemm, kTileOrder, kIssueRate };

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

// Somewhere at least so many mma without a branch among them; and each at least so many mma behind
// the last one that it waits for.
struct MmaBar {
  int in_a_row = 0, apart = 1;
  std::string why;
};

struct GemmSetup {
  Order order_b = Order::kColumnMajor;
  std::array<int, 3> tile{};  // M, N, K of a CTA's tile
  int warps_m = 0, warps_n = 0;
  uint32_t dynamic_shared_bytes = 0;
  std::vector<std::array<int, 3>> shapes;  // M, N, K
  bool any_shape = false;                  // no multiples of the tile
  bool bias_relu = false;                  // D = max(A × B + bias, 0), and a NaN stays one
};

// A grid of CTA tiles, 128×128, on a device; and the bar for what is read from DRAM, by the model.
struct OrderCase {
  std::string name;
  int m = 0, n = 0, k = 0;
  int resident = 0;  // CTAs at once
  int l2_mib = 0;
  double at_most_mb = 0;
  std::string why;
};

inline constexpr int kOrderTile = 128, kOrderTileK = 32;

struct OrderSetup {
  int up_to = 0;  // every grid of up to so many tiles each way must be a bijection
  std::vector<OrderCase> cases;
};

struct Manifest {
  Kind kind = Kind::kGemm;
  std::string kernel;
  int mma_k = 0;      // fragment-map only
  GemmSetup gemm;     // gemm only
  OrderSetup orders;  // tile-order only
  int steps = 0;      // issue-rate only
  std::vector<PtxRule> ptx;
  std::vector<CounterBar> counters;
  std::vector<std::string> shown;  // counters named in the verdict besides those with a bar
  std::optional<uint32_t> shared_bytes;
  std::optional<MmaBar> mma;
};

Manifest read_manifest(const std::string& path);  // throws ManifestError

}  // namespace tcd::exercises
