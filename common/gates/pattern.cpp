#include "gates/pattern.h"

#include <algorithm>
#include <utility>

#include "gates/hypothesis.h"
#include "gates/location.h"
#include "gates/result.h"

namespace tcd {
namespace {

void add_nan_lines(const FailureScan& scan, std::int64_t elements,
                   std::vector<std::string>& lines) {
  if (scan.never_written > 0) {
    const std::string who = scan.never_written == elements ? "the whole output was"
                            : scan.never_written == scan.wrong
                                ? "every wrong element was"
                                : with_separators(scan.never_written) + " elements were";
    lines.push_back("pattern: " + who +
                    " never written (the NaN fill is still there). Look at: the launch (did it "
                    "return an error?), the grid's size, the guard of the store");
  }
  if (scan.computed_nan > 0) {
    lines.push_back("pattern: " + with_separators(scan.computed_nan) +
                    " elements are NaN that the kernel computed. Input padding is NaN, so: a load "
                    "past the end of a row, or shared memory read before it was written");
  }
}

struct Search {
  std::optional<std::pair<Hypothesis, Fit>> found;
  std::vector<std::string> possible;  // guesses that NaN alone cannot tell apart
};

// The best of the guesses that hold: one that also predicts the right elements comes first.
Search search(const GemmCase& gemm, const OutputView& got, const FailureScan& scan) {
  Search result;
  auto& found = result.found;
  const auto consider = [&](std::vector<Hypothesis> guesses) {
    for (Hypothesis& guess : guesses) {
      const Fit fit = test_hypothesis(guess, gemm, got, scan);
      if (fit.nan_only && scan.computed_nan == scan.wrong) result.possible.push_back(guess.what);
      if (!fit.holds || (found && (found->second.also_the_right || !fit.also_the_right))) continue;
      found.emplace(std::move(guess), fit);
    }
  };
  consider(value_hypotheses(gemm, got, scan));
  consider(output_hypotheses(gemm, got));
  consider(input_hypotheses(gemm));
  if (!found || !found->second.also_the_right) consider(slice_hypotheses(gemm, got, scan));
  return result;
}

}  // namespace

std::vector<std::string> recognise(const GemmCase& gemm, const OutputView& got) {
  const FailureScan scan = scan_failure(gemm, got);
  if (scan.wrong == 0) return {};
  std::vector<std::string> lines = locate_failure(gemm, got, scan);
  const std::size_t before = lines.size();
  const std::int64_t elements = std::int64_t{got.layout.rows} * got.layout.cols;
  // A guess about numbers may explain the NaNs too (a wrong leading dimension reads the padding).
  const Search result = search(gemm, got, scan);
  if (const auto& found = result.found) {
    const bool complete = found->second.also_the_right;
    lines.push_back("pattern: " + found->first.what +
                    (complete
                         ? " (explains every element checked, wrong and right)"
                         : " (explains all the wrong elements checked; the others are right)"));
    lines.push_back("look at: " + found->first.look);
    return lines;
  }
  add_nan_lines(scan, elements, lines);
  for (const std::string& guess : result.possible) lines.push_back("  it would fit: " + guess);
  if (const std::string text = last_place_pattern(gemm, got, scan); !text.empty()) {
    lines.push_back(text);
  } else if (const std::string race = scattered_slices(gemm, got, scan); !race.empty()) {
    lines.push_back("pattern: " + race);
  }
  if (lines.size() == before) {
    lines.push_back(scan.numbers.size() < static_cast<std::size_t>(kMinimumMatches)
                        ? "pattern: too few wrong numbers to tell one"
                        : "pattern: no known pattern");
  }
  return lines;
}

}  // namespace tcd
