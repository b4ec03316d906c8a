// The double reference: how far a result on random inputs is from the truth, beside the least that
// storing it in FP16 costs.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "bench/random_run.h"
#include "gates/half.h"
#include "gates/parallel.h"

namespace day::bench {

namespace {

constexpr double kStoreFloor = 0x1p-11;  // half a unit in the last place of FP16, relative
// What FP32 sums may add to it where the result is no smaller than the typical one: each of K / 8
// additions loses at most a few units of 2⁻²⁴ of a partial sum.
constexpr double kSumLoss = 0x1p-24 * 8;

std::vector<double> line_of(const tcd::HalfMatrix& matrix, int line, bool row) {
  const int length = row ? matrix.layout.cols : matrix.layout.rows;
  std::vector<double> values(length);
  for (int i = 0; i < length; ++i) values[i] = row ? matrix.at(line, i) : matrix.at(i, line);
  return values;
}

struct CornerError {
  int64_t elements = 0, rounded_right = 0;
  double error = 0, norm = 0;  // squares
  double worst = 0;            // relative, where |reference| is at least its root mean square
};

CornerError compare(const std::vector<uint16_t>& d, int ld, const std::vector<double>& reference,
                    int rows, int columns) {
  CornerError found;
  for (double value : reference) found.norm += value * value;
  const double typical = std::sqrt(found.norm / static_cast<double>(reference.size()));
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      const double exact = reference[static_cast<size_t>(row) * columns + column];
      const uint16_t bits = d[static_cast<size_t>(row) * ld + column];
      const double error = std::abs(tcd::half_to_float(bits) - exact);
      ++found.elements;
      found.rounded_right += bits == tcd::double_to_half(exact);
      found.error += error * error;
      if (std::abs(exact) >= typical) found.worst = std::max(found.worst, error / std::abs(exact));
    }
  }
  return found;
}

}  // namespace

std::vector<double> corner_product(const tcd::HalfMatrix& a, const tcd::HalfMatrix& b, int rows,
                                   int columns) {
  std::vector<std::vector<double>> lines(columns);
  for (int column = 0; column < columns; ++column) lines[column] = line_of(b, column, false);
  std::vector<double> product(static_cast<size_t>(rows) * columns);
  tcd::parallel_for(rows, 1, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const std::vector<double> of_a = line_of(a, static_cast<int>(row), true);
      for (int column = 0; column < columns; ++column) {
        const std::vector<double>& of_b = lines[column];
        double sum = 0;
        for (size_t k = 0; k < of_a.size(); ++k) sum += of_a[k] * of_b[k];
        product[static_cast<size_t>(row) * columns + column] = sum;
      }
    }
  });
  return product;
}

void check_corner(tcd::harness::Session& session, const Configuration& configuration,
                  const Size& size, int corner, tcd::harness::Control control) {
  const auto& shape = configuration.instance->shape;
  const auto up = [](int value, int tile) { return (value + tile - 1) / tile * tile; };
  const int rows = std::min(corner, size.m), columns = std::min(corner, size.n);
  // An element depends on its row and column alone; the emulated device runs only their tiles.
  const Size run_size =
      session.emulated() ? Size{up(rows, shape.cta_m), up(columns, shape.cta_n), size.k} : size;
  session.section("Against the double reference, random inputs");
  const RandomRun run(run_size, session.seed());
  auto d = run.run([&](const auto& gemm) { launch(configuration, gemm); });
  constexpr uint16_t kUnit = 1 << 4;  // 16 units in the last place: 2⁻⁶ or 2⁻⁷ of the value
  if (control == tcd::harness::Control::kOneBit) {
    for (uint16_t& bits : d) bits ^= kUnit;  // all, so that one is among the large elements
  }
  auto reference = corner_product(run.a, run.b, rows, columns);
  if (configuration.instance->epilogue == Epilogue::kBiasRelu) {
    for (double& value : reference) value = std::max(value + 1.0, 0.0);
  }
  const CornerError found = compare(d, run_size.n, reference, rows, columns);
  const double ratio = std::sqrt(found.error / found.norm);
  char text[256];
  std::snprintf(
      text, sizeof text,
      "%d×%d corner, K = %d: ‖err‖/‖ref‖ %.2e; worst element %.2e (the store's floor is "
      "2⁻¹¹ = %.2e); %.3f %% are the exact result rounded once",
      rows, columns, size.k, ratio, found.worst, kStoreFloor,
      100.0 * static_cast<double>(found.rounded_right) / static_cast<double>(found.elements));
  session.say(text);
  session.derive("double reference, " + configuration.text(),
                 {{"elements", found.elements},
                  {"rounded once", found.rounded_right},
                  {"relative error", ratio},
                  {"worst element", found.worst},
                  {"floor", kStoreFloor}});
  if (configuration.instance->accumulator == Accumulator::kF16) {
    session.say("sums in FP16: no floor to be held to");
    return;
  }
  const std::string name = "corner of " + std::to_string(rows) + "×" + std::to_string(columns);
  const double bound = kStoreFloor + kSumLoss * std::sqrt(static_cast<double>(size.k));
  if (found.worst <= bound) {
    session.gate(tcd::GateResult::pass(name, found.elements, "passed (at the store's floor)"));
    return;
  }
  std::snprintf(text, sizeof text, "worst relative error %.3e, above the floor's %.3e", found.worst,
                bound);
  session.gate(tcd::GateResult::fail(
      name, found.elements, {text, "the sums are wrong, or kept in fewer bits than FP32 has"}));
}

}  // namespace day::bench
