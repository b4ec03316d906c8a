#include "gates/one_hot_gate.h"

#include <array>
#include <cmath>
#include <stdexcept>

#include "gates/inputs.h"
#include "gates/numbers.h"

namespace tcd {
namespace {

struct Triple {
  int i, j, k;
};

Triple triple(const OneHotPlan& plan, int number) {
  const int m = plan.a.rows;
  const int n = plan.b.cols;
  const int k = plan.a.cols;
  if (number < 8) {
    return {(number & 1) != 0 ? m - 1 : 0, (number & 2) != 0 ? n - 1 : 0,
            (number & 4) != 0 ? k - 1 : 0};
  }
  const auto pick = [&](int counter, int size) {
    const std::uint64_t bits =
        random_bits(plan.seed, static_cast<std::uint64_t>(number * 3 + counter));
    return static_cast<int>(bits % static_cast<std::uint64_t>(size));
  };
  return {pick(0, m), pick(1, n), pick(2, k)};
}

std::string element(const char* matrix, int row, int col) {
  return std::string(matrix) + "[" + std::to_string(row) + "][" + std::to_string(col) + "]";
}

constexpr int kCodes = 2047;  // k + 1 is exact in FP16 up to here, then the codes repeat

// Every element of an operand holds its k + 1, so that D names the k that was met.
HalfMatrix coded_by_k(const MatrixLayout& layout, bool k_is_row) {
  HalfMatrix matrix(layout);
  for (int row = 0; row < layout.rows; ++row) {
    for (int col = 0; col < layout.cols; ++col) {
      matrix.set(row, col, static_cast<float>((k_is_row ? row : col) % kCodes + 1));
    }
  }
  return matrix;
}

// The places of D that hold neither zero nor NaN, at most `limit`.
std::vector<std::string> nonzeros(const OutputView& view, std::size_t limit) {
  std::vector<std::string> found;
  for (int row = 0; row < view.layout.rows; ++row) {
    for (int col = 0; col < view.layout.cols; ++col) {
      const double value = view.value(row, col);
      if (value == 0 || std::isnan(value)) continue;
      if (found.size() < limit) found.push_back(element("D", row, col) + " = " + decimal(value));
    }
  }
  return found;
}

std::string listed(const std::vector<std::string>& items) {
  if (items.empty()) return "nowhere";
  std::string text = items.front();
  for (std::size_t i = 1; i < items.size(); ++i) text += ", " + items[i];
  return text;
}

// Where did the lone element of one operand go, when the other operand is full of codes?
std::string trace(const OneHotPlan& plan, const RunGemm& run, const Triple& at, bool trace_a) {
  GuardedOutput d(plan.type, plan.d);
  if (trace_a) {
    run(one_hot(plan.a, at.i, at.k), coded_by_k(plan.b, true), d);
  } else {
    run(coded_by_k(plan.a, false), one_hot(plan.b, at.k, at.j), d);
  }
  const OutputView view = d.view();
  for (int row = 0; row < view.layout.rows; ++row) {
    for (int col = 0; col < view.layout.cols; ++col) {
      const double value = view.value(row, col);
      if (value == 0 || std::isnan(value)) continue;
      const std::string where =
          trace_a ? "row " + std::to_string(row) : "column " + std::to_string(col);
      const std::string met = decimal(value - 1);
      return (trace_a ? element("A", at.i, at.k) : element("B", at.k, at.j)) + " acts on " + where +
             " of D and meets k = " + met + (trace_a ? " of B" : " of A") + "; it should be " +
             (trace_a ? "row " + std::to_string(at.i) : "column " + std::to_string(at.j)) +
             " and k = " + std::to_string(at.k % kCodes);
    }
  }
  return (trace_a ? element("A", at.i, at.k) : element("B", at.k, at.j)) +
         " reaches no element of D";
}

}  // namespace

GateResult one_hot_gate(const std::string& name, const OneHotPlan& plan, const RunGemm& run) {
  if (plan.a.cols != plan.b.rows || plan.d.rows != plan.a.rows || plan.d.cols != plan.b.cols) {
    throw std::invalid_argument("one-hot gate: A is M x K, B K x N, D M x N; the layouts disagree");
  }
  std::int64_t checked = 0;
  for (int number = 0; number < plan.cases; ++number) {
    const Triple at = triple(plan, number);
    GuardedOutput d(plan.type, plan.d);
    run(one_hot(plan.a, at.i, at.k), one_hot(plan.b, at.k, at.j), d);
    const OutputView view = d.view();
    std::int64_t wrong = 0;
    std::int64_t nan = 0;
    for (int row = 0; row < plan.d.rows; ++row) {
      for (int col = 0; col < plan.d.cols; ++col) {
        ++checked;
        const double expected = row == at.i && col == at.j ? 1.0 : 0.0;
        if (view.bits(row, col) == bits_of_value(plan.type, expected)) continue;
        ++wrong;
        if (bits_are_nan(plan.type, view.bits(row, col))) ++nan;
      }
    }
    if (wrong == 0) continue;
    std::vector<std::string> lines;
    lines.push_back("case (i, j, k) = (" + std::to_string(at.i) + ", " + std::to_string(at.j) +
                    ", " + std::to_string(at.k) + "): " + element("A", at.i, at.k) + " x " +
                    element("B", at.k, at.j) + " must set " + element("D", at.i, at.j) +
                    " to 1 and nothing else");
    lines.push_back(with_separators(wrong) + " elements of D are wrong, " + with_separators(nan) +
                    " of them NaN; it is nonzero at: " + listed(nonzeros(view, 4)));
    lines.push_back(trace(plan, run, at, true));
    lines.push_back(trace(plan, run, at, false));
    return GateResult::fail(name, checked, std::move(lines));
  }
  return GateResult::pass(name, checked,
                          "passed (" + std::to_string(plan.cases) + " one-hot products, " +
                              with_separators(checked) + " elements, bit for bit)");
}

}  // namespace tcd
