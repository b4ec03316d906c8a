// A guess at what a kernel did instead, precise enough to be tested: it predicts, for any element,
// the sum that the kernel must then have stored.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gates/failure_scan.h"
#include "gates/gemm_case.h"

namespace tcd {

struct Hypothesis {
  std::string what;  // "A is read transposed"
  std::string look;  // where a reader should look
  // Before the epilogue. NaN: the element would be NaN. nullopt: no prediction for this element.
  std::function<std::optional<double>(Place)> sum;
  // The bits directly, for guesses about the epilogue or the rounding; takes precedence.
  std::function<std::optional<std::uint32_t>(Place)> bits = nullptr;
};

// How well a guess fits the samples of a failure.
struct Fit {
  bool holds = false;           // predicts every wrong element it speaks of, and enough of them
  bool also_the_right = false;  // and every right one
  bool nan_only = false;  // predicts the NaNs and contradicts nothing, but there are no numbers
};

// Fewer matches than this could be chance: sums are multiples of 1/16, a few hundred values.
inline constexpr int kMinimumMatches = 4;

Fit test_hypothesis(const Hypothesis& guess, const GemmCase& gemm, const OutputView& got,
                    const FailureScan& scan);

// The families of guesses, each in its own file hypothesis_*.cpp.
std::vector<Hypothesis> input_hypotheses(const GemmCase& gemm);
std::vector<Hypothesis> output_hypotheses(const GemmCase& gemm, const OutputView& got);
std::vector<Hypothesis> value_hypotheses(const GemmCase& gemm, const OutputView& got,
                                         const FailureScan& scan);
// Guesses that the data suggest: k slices missing, doubled, or stale.
std::vector<Hypothesis> slice_hypotheses(const GemmCase& gemm, const OutputView& got,
                                         const FailureScan& scan);

// Wrong by one unit in the last place, or only in the sign of zero: a relation rather than a
// prediction, and telling even for a single element. A line of text, or nothing.
std::string last_place_pattern(const GemmCase& gemm, const OutputView& got,
                               const FailureScan& scan);

// Every wrong element misses some k-slice, but not all the same: a line of text, or nothing.
std::string scattered_slices(const GemmCase& gemm, const OutputView& got, const FailureScan& scan);

}  // namespace tcd
