#include "gates/one_hot_gate.h"

#include <doctest/doctest.h>

#include <functional>
#include <stdexcept>

#include "fake_gemm.h"

using namespace tcd;
using namespace tcd::test;

namespace {

const OneHotPlan kPlan{
    row_major(32, 24, 8), column_major(24, 16, 8), row_major(32, 16, 8), OutputType::kF32, 12, 5};

using MapA = std::function<double(const HalfMatrix& a, int row, int k)>;

// D = A x B with A read through a mistake.
RunGemm kernel(const MapA& read_a) {
  return [read_a](const HalfMatrix& a, const HalfMatrix& b, GuardedOutput& d) {
    for (int row = 0; row < 32; ++row) {
      for (int col = 0; col < 16; ++col) {
        double sum = 0;
        for (int k = 0; k < 24; ++k) sum += read_a(a, row, k) * b.at(k, col);
        store(d, OutputType::kF32, d.view().layout.index(row, col), sum);
      }
    }
  };
}

}  // namespace

TEST_CASE("a right kernel passes") {
  const GateResult result = one_hot_gate(
      "one-hot", kPlan, kernel([](const HalfMatrix& a, int r, int k) { return a.at(r, k); }));
  CHECK(result.text() == "gate one-hot: passed (12 one-hot products, 6,144 elements, bit for bit)");
}

TEST_CASE("control: (i, j, k) and where the element went are named") {
  const GateResult rows = one_hot_gate(
      "one-hot", kPlan, kernel([](const HalfMatrix& a, int r, int k) { return a.at(r ^ 8, k); }));
  CHECK_FALSE(rows.passed());
  CHECK(says(rows, "case (i, j, k) = (0, 0, 0): A[0][0] x B[0][0] must set D[0][0] to 1"));
  CHECK(says(rows, "2 elements of D are wrong, 0 of them NaN; it is nonzero at: D[8][0] = 1"));
  CHECK(
      says(rows, "A[0][0] acts on row 8 of D and meets k = 0 of B; it should be row 0 and k = 0"));
  const GateResult ks = one_hot_gate(
      "one-hot", kPlan, kernel([](const HalfMatrix& a, int r, int k) { return a.at(r, k ^ 1); }));
  CHECK(says(ks, "nonzero at: nowhere"));
  CHECK(says(ks, "A[0][0] acts on row 0 of D and meets k = 1 of B"));
  CHECK(says(ks, "B[0][0] acts on column 0 of D and meets k = 1 of A"));
}

TEST_CASE("control: an output never written, and layouts that disagree") {
  const GateResult silent =
      one_hot_gate("one-hot", kPlan, [](const HalfMatrix&, const HalfMatrix&, GuardedOutput&) {});
  CHECK_FALSE(silent.passed());
  CHECK(says(silent, "512 elements of D are wrong, 512 of them NaN"));
  OneHotPlan bad = kPlan;
  bad.d = row_major(16, 32);
  CHECK_THROWS_AS(one_hot_gate("one-hot", bad, nullptr), std::invalid_argument);
  OneHotPlan none = kPlan;
  none.cases = 0;
  CHECK_FALSE(one_hot_gate("one-hot", none, nullptr).passed());
}
