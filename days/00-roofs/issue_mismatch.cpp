#include "issue_mismatch.h"

#include <cmath>
#include <cstdio>

#include "gates/result.h"

namespace day {

std::vector<std::string> describe_mismatch(const MmaShape& shape, const IssueTile& tile,
                                           const IssueRun& run,
                                           const std::vector<uint32_t>& expected,
                                           const std::vector<uint32_t>& got) {
  const auto [ilp, warps, steps] = run;
  const int registers = shape.registers_d();
  const int packed = shape.accumulator == Accumulator::kF16 ? 2 : 1;
  size_t different = 0;
  std::vector<std::string> lines;
  bool exchanged = true;
  for (size_t word = 0; word < got.size(); ++word) {
    const size_t in_warp = word % expected.size(), warp = word / expected.size();
    if (got[word] == expected[in_warp]) continue;
    const int lane = in_warp % 32, r = in_warp / 32 % registers, chain = in_warp / 32 / registers;
    for (int i = 0; i < packed; ++i) {
      const double is = tile.decode(got[word], i), want = tile.decode(expected[in_warp], i);
      if (is == want) continue;
      ++different;
      const auto at = tile.place(lane, r, i);
      const int product = tile.product(at.row, at.column);
      exchanged = exchanged && shape.m == 16 &&
                  is == chain + steps * tile.product((at.row + 8) % 16, at.column);
      if (different > 1) continue;
      char text[200];
      std::snprintf(text, sizeof text,
                    "first: SM %zu, warp %zu, chain %d, lane %d, register %d, element (%d, %d): "
                    "got %.10g (0x%08X), expected %d + %d × %d = %.10g (0x%08X)",
                    warp / warps, warp % warps, chain, lane, r, at.row, at.column, is, got[word],
                    chain, steps, product, want, expected[in_warp]);
      lines.push_back(text);
      const double ran = product == 0 ? NAN : (is - chain) / product;
      if (ran == std::round(ran) && ran >= 0 && ran < steps) {
        std::snprintf(text, sizeof text, "that is what %.0f steps would give, not %d", ran, steps);
        lines.push_back(text);
      }
    }
  }
  if (exchanged)
    lines.push_back("rows 0-7 and 8-15 are exchanged: a[0] and a[1], or a[2] and a[3], are");
  lines.insert(lines.begin(), std::to_string(warps) + (warps == 1 ? " warp" : " warps") + ", ILP " +
                                  std::to_string(ilp) + ": " + tcd::with_separators(different) +
                                  " of " + tcd::with_separators(got.size() * packed) +
                                  " elements differ");
  return lines;
}

}  // namespace day
