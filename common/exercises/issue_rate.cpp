#include <bit>
#include <cmath>

#include "exercises/kinds.h"
#include "gates/inputs.h"
#include "gates/numbers.h"
#include "gates/product.h"
#include "ptx/fragments.h"

namespace tcd::exercises {
namespace {

constexpr int kChains = 8;  // device/issue_rate.cuh has it too
constexpr int kM = fragment::kTileM, kN = fragment::kTileN, kK = 16;
constexpr int kTile = kM * kN;

// The parameter block of device/issue_rate.cu's kernel.
struct IssueParameters {
  uint64_t a, b, d;
  int64_t steps;
};

}  // namespace

std::vector<GateResult> judge_issue_rate(const Manifest& manifest, Workbench& bench,
                                         uint64_t seed) {
  const HalfMatrix a = quarters(row_major(kM, kK), seed), b = quarters(row_major(kK, kN), seed + 1);
  std::vector<float> d(size_t{kChains} * kTile, std::nanf(""));
  const IssueParameters parameters = {bench.upload<uint16_t>(a.bits),
                                      bench.upload<uint16_t>(b.bits), bench.upload<float>(d),
                                      manifest.steps};
  bench.launch({1, 1, 1}, fragment::kWarpLanes, 0, as_params(parameters));
  bench.download(parameters.d, d.data(), d.size() * sizeof(float));
  const Product product = double_reference(a, b);
  int wrong = 0;
  std::vector<std::string> lines;
  for (int i = 0; i < kChains * kTile; ++i) {
    const int chain = i / kTile, row = i % kTile / kN, column = i % kN;
    const float expected =
        static_cast<float>(chain) + static_cast<float>(manifest.steps) * product.at(row, column);
    const auto want = std::bit_cast<uint32_t>(expected);
    const auto got = std::bit_cast<uint32_t>(d[static_cast<size_t>(i)]);
    if (got == want || wrong++ > 0) continue;
    lines = {"",
             "first in chain " + std::to_string(chain) + " at (row " + std::to_string(row) +
                 ", column " + std::to_string(column) + "): expected " +
                 both(OutputType::kF32, want) + ", got " + both(OutputType::kF32, got),
             "chain c starts from c, and " + std::to_string(manifest.steps) +
                 " times A × B are to be added to each"};
  }
  if (wrong == 0) return {GateResult::pass("chains", kChains * kTile)};
  lines[0] = std::to_string(wrong) + " of " + std::to_string(kChains * kTile) + " elements differ";
  return {GateResult::fail("chains", kChains * kTile, std::move(lines))};
}

}  // namespace tcd::exercises
