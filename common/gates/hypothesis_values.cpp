// Guesses about the values: zero, a factor, one unit in the last place, the epilogue.
#include <cmath>
#include <cstdlib>

#include "gates/hypothesis.h"
#include "gates/numbers.h"

namespace tcd {
namespace {

// Bit patterns as integers in the order of the values, so that neighbours differ by one.
std::int64_t ordinal(OutputType type, std::uint32_t bits) {
  const std::uint32_t sign = type == OutputType::kF32 ? 0x80000000u : 0x8000u;
  const auto magnitude = static_cast<std::int64_t>(bits & (sign - 1));
  return (bits & sign) != 0 ? -magnitude : magnitude;
}

// FP16 toward zero instead of to nearest.
std::uint32_t truncated(OutputType type, double value) {
  std::uint32_t bits = bits_of_value(type, value);
  if (std::fabs(value_of_bits(type, bits)) > std::fabs(value)) --bits;
  return bits;
}

// The bias of another column: a neighbour's, the pair's other one, one eight columns off, or the
// column counted from the corner of the CTA's or of the mma's tile.
template <class SumAt>
void add_bias_columns(const GemmCase& gemm, const SumAt& sum_at, std::vector<Hypothesis>& out) {
  const Epilogue& epilogue = gemm.expected.epilogue;
  const OutputType type = gemm.expected.type;
  const auto guess = [&](const std::string& what, auto column_of) {
    out.push_back(
        {what,
         "the bias index in the store: the column of the element in D, with the CTA's, the "
         "warp's, the mma's and the lane's share of it",
         nullptr, [&epilogue, type, sum_at, column_of](Place at) -> std::optional<std::uint32_t> {
           const int column = column_of(at.col);
           if (column < 0 || column >= static_cast<int>(epilogue.bias.size())) return std::nullopt;
           const double sum = sum_at(at) + epilogue.bias[static_cast<std::size_t>(column)];
           return bits_of_value(type, epilogue.relu && !(sum > 0) ? 0.0 : sum);
         }});
  };
  for (const int step : {1, -1, 2, -2, 8, -8}) {
    guess("the bias is that of " + std::to_string(std::abs(step)) + " column(s) to the " +
              (step > 0 ? "right" : "left"),
          [step](int column) { return column + step; });
  }
  guess("the two columns of each pair have each other's bias",
        [](int column) { return column ^ 1; });
  guess("both columns of each pair have the first one's bias",
        [](int column) { return column & ~1; });
  guess("the bias repeats every 8 columns: the column inside the mma tile",
        [](int column) { return column % 8; });
  if (gemm.tiling) {
    const int cta_n = gemm.tiling->cta_n;
    guess("the bias repeats every " + std::to_string(cta_n) +
              " columns: the column inside the CTA's tile",
          [cta_n](int column) { return column % cta_n; });
  }
}

}  // namespace

std::vector<Hypothesis> value_hypotheses(const GemmCase& gemm, const OutputView& got,
                                         const FailureScan& scan) {
  std::vector<Hypothesis> out;
  const Product& product = *gemm.expected.product;
  const Epilogue& epilogue = gemm.expected.epilogue;
  const OutputType type = got.type;
  const auto sum_at = [&product, &gemm](Place at) {
    return gemm.expected.seen_by_epilogue(product.at(at.row, at.col));
  };

  out.push_back({"every wrong element is zero",
                 "the accumulators never reached the store, the k loop ran no trip, or A or B was "
                 "never copied to the device",
                 nullptr, [type](Place) -> std::optional<std::uint32_t> {
                   return bits_of_value(type, 0.0);
                 }});
  if (!epilogue.bias.empty()) {
    const auto without_bias = [&epilogue, type, sum_at](Place at) -> std::optional<std::uint32_t> {
      const double sum = sum_at(at);
      return bits_of_value(type, epilogue.relu && !(sum > 0) ? 0.0 : sum);
    };
    out.push_back({"the bias is missing", "the epilogue's order: bias, then ReLU, then rounding",
                   nullptr, without_bias});
    const auto bias_by_row = [&epilogue, type, sum_at](Place at) -> std::optional<std::uint32_t> {
      const auto row = static_cast<std::size_t>(at.row);
      if (row >= epilogue.bias.size()) return std::nullopt;
      const double sum = sum_at(at) + epilogue.bias[row];
      return bits_of_value(type, epilogue.relu && !(sum > 0) ? 0.0 : sum);
    };
    out.push_back({"the bias is taken by row instead of by column", "the bias index in the store",
                   nullptr, bias_by_row});
    add_bias_columns(gemm, sum_at, out);
  }
  if (epilogue.relu) {
    Epilogue linear = epilogue;
    linear.relu = false;
    out.push_back({"the ReLU is missing", "the epilogue's last step before rounding", nullptr,
                   [linear, type, sum_at](Place at) -> std::optional<std::uint32_t> {
                     return bits_of_value(type, linear.apply(sum_at(at), at.col));
                   }});
  }
  if (type == OutputType::kF16 && !epilogue.bias.empty() && !epilogue.separate) {
    Expected twice = gemm.expected;
    twice.epilogue.separate = true;
    out.push_back(
        {"the sum is rounded to FP16 before the bias is added, and again after",
         "the type in which the epilogue adds: it must be the accumulator's", nullptr,
         [twice](Place at) -> std::optional<std::uint32_t> { return twice.bits(at.row, at.col); }});
  }
  if (type == OutputType::kF16) {
    out.push_back({"FP16 results are rounded toward zero instead of to nearest even",
                   "the conversion in the store: __float2half_rn, not _rz or a bit shift", nullptr,
                   [&gemm, type, sum_at](Place at) -> std::optional<std::uint32_t> {
                     return truncated(type, gemm.expected.epilogue.apply(sum_at(at), at.col));
                   }});
  }
  for (const Place at : scan.numbers) {  // the factor that the first usable element suggests
    const double expected = value_of_bits(type, gemm.expected.bits(at.row, at.col));
    const double have = got.value(at.row, at.col);
    if (expected == 0 || have == 0 || !epilogue.bias.empty()) continue;
    const double factor = have / expected;
    int exponent = 0;  // after rounding to FP16 only a power of two is still recognisable
    if (type == OutputType::kF16 && std::fabs(std::frexp(factor, &exponent)) != 0.5) break;
    out.push_back({"every wrong element is " + decimal(factor) + " times what it must be",
                   factor == 2.0 ? "accumulators that are not zeroed before the k loop, a k loop "
                                   "that runs twice, or a D that is added to"
                                 : "alpha, the scale of the inputs, or k slices counted more than "
                                   "once",
                   [factor, sum_at](Place where) -> std::optional<double> {
                     return sum_at(where) * factor;
                   }});
    break;
  }
  return out;
}

std::string last_place_pattern(const GemmCase& gemm, const OutputView& got,
                               const FailureScan& scan) {
  if (scan.numbers.empty() || !scan.nans.empty()) return {};
  bool signs_only = true;
  for (const Place at : scan.numbers) {
    const std::int64_t want = ordinal(got.type, gemm.expected.bits(at.row, at.col));
    const std::int64_t have = ordinal(got.type, got.bits(at.row, at.col));
    if (std::abs(want - have) > 1) return {};
    signs_only &= want == have;
  }
  if (signs_only) {
    return "pattern: zeros with the wrong sign; a sum that starts at +0 never becomes -0. Look at: "
           "a factor of -1 or a negation in the epilogue";
  }
  return "pattern: every wrong element is off by one unit in the last place. Look at: an order or "
         "place of rounding: an intermediate kept in fewer bits, a conversion that truncates, or "
         "inputs that are not exact";
}

}  // namespace tcd
