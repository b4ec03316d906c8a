#include "gates/hypothesis.h"

#include <cmath>

namespace tcd {
namespace {

// nullopt: the guess says nothing about this place.
std::optional<bool> predicts(const Hypothesis& guess, const GemmCase& gemm, const OutputView& got,
                             Place at) {
  const std::uint32_t have = got.bits(at.row, at.col);
  if (guess.bits) {
    const std::optional<std::uint32_t> bits = guess.bits(at);
    if (!bits) return std::nullopt;
    return *bits == have;
  }
  const std::optional<double> sum = guess.sum(at);
  if (!sum) return std::nullopt;
  if (std::isnan(*sum)) return bits_are_nan(got.type, have);
  return bits_agree(got.type, gemm.expected.bits_for(*sum, at.col), have, gemm.zero);
}

}  // namespace

Fit test_hypothesis(const Hypothesis& guess, const GemmCase& gemm, const OutputView& got,
                    const FailureScan& scan) {
  int matches = 0;
  std::size_t nans = 0;
  for (const std::vector<Place>* sample : {&scan.numbers, &scan.nans}) {
    for (const Place at : *sample) {
      const std::optional<bool> good = predicts(guess, gemm, got, at);
      if (!good) continue;
      if (!*good) return {};
      if (sample == &scan.numbers) {
        ++matches;
      } else {
        ++nans;  // weak evidence: many guesses read the padding
      }
    }
  }
  const auto sampled = static_cast<int>(scan.numbers.size());
  Fit fit;
  fit.holds = matches >= kMinimumMatches && matches * 4 >= sampled;
  fit.also_the_right = true;
  for (const Place at : scan.right) {
    const std::optional<bool> good = predicts(guess, gemm, got, at);
    if (good && !*good) fit.also_the_right = false;
  }
  fit.nan_only = sampled == 0 && fit.also_the_right && nans == scan.nans.size() && nans > 0;
  return fit;
}

}  // namespace tcd
