// What the bench compares: the days' kernels, cuBLAS, and the peer's.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/gemm.h"
#include "harness/resources.h"

namespace tcd::bench {

using HalfGemm = GemmArguments<__half>;

struct Size {
  int m = 0, n = 0, k = 0;
  std::string text() const;  // "4096×4096×4096"
  double flop() const { return 2.0 * m * n * k; }
};

// A library's kernel that cannot be had at this size or on this device: skipped, and said.
class CandidateRefused : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class Kind { kDay, kCublas, kPeer };

struct Candidate {
  Kind kind{};
  std::string name{};  // "05 xor row >> 1 & 3, 2 stages"
  // A day's kernel; what it does to a sum is in there. Without one: a library's, plain A × B.
  std::optional<GemmVariant> variant{};
  int group = 1;  // tile rows walked together
  std::function<void(const HalfGemm&)> launch{};
  std::string refused{};  // why it cannot run here, or at this size
  bool passed = false;    // its gates at this size
  std::optional<harness::KernelResources> resources{};
};

// days.cpp. Of the days with these numbers, or of all when there are none; their headline variants,
// or every variant. Throws harness::UsageError for a day that has no GEMM.
std::vector<Candidate> day_candidates(const std::vector<std::string>& days, bool every_variant);

// libraries.cpp. cuBLAS as everybody calls it, and the best guesses of its heuristic one by one.
// `why` says what is missing when there is nothing.
std::vector<Candidate> cublas_candidates(const Size& size, int guesses, std::string& why);
// The kernels of a shared library built from common/bench/peer. Throws harness::UsageError.
std::vector<Candidate> peer_candidates(const std::string& library);

}  // namespace tcd::bench
