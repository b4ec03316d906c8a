#include "gates/fragment_gate.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "gates/half.h"

using namespace tcd;
namespace frag = tcd::fragment;

namespace {

struct Dump {
  std::vector<float> a, b;
};

// What a correct probe dumps, with the elements of A taken through `exchange`.
template <class Exchange>
Dump dump(int k, const Exchange& exchange) {
  Dump out;
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < frag::a_elements(k); ++i) {
      const frag::Coord at = frag::a_coord(k, lane, exchange(i));
      out.a.push_back(static_cast<float>(probe_value_a(k, at.row, at.col)));
    }
    for (int i = 0; i < frag::b_elements(k); ++i) {
      const frag::Coord at = frag::b_coord(k, lane, i);
      out.b.push_back(static_cast<float>(probe_value_b(k, at.row, at.col)));
    }
  }
  return out;
}

Dump good(int k) {
  return dump(k, [](int i) { return i; });
}

bool says(const GateResult& result, const std::string& words) {
  return result.text().find(words) != std::string::npos;
}

std::vector<float> one_hot_products() {
  std::vector<float> d;
  for (int p = 0; p < 128; ++p) {
    for (int lane = 0; lane < 32; ++lane) {
      for (int i = 0; i < 4; ++i) {
        d.push_back(frag::c_m16n8(lane, i) == frag::Coord{p / 8, p % 8} ? 1.0f : 0.0f);
      }
    }
  }
  return d;
}

}  // namespace

TEST_CASE("probe values are unique and exact in FP16") {
  for (const int k : {8, 16}) {
    std::vector<float> all;
    for (int r = 0; r < 16; ++r) {
      for (int c = 0; c < k; ++c) all.push_back(static_cast<float>(probe_value_a(k, r, c)));
    }
    for (int r = 0; r < k; ++r) {
      for (int c = 0; c < 8; ++c) all.push_back(static_cast<float>(probe_value_b(k, r, c)));
    }
    std::sort(all.begin(), all.end());
    CHECK(std::adjacent_find(all.begin(), all.end()) == all.end());
    for (const float value : all) CHECK(half_to_float(float_to_half(value)) == value);
  }
}

TEST_CASE("a correct dump passes with the course's sentence") {
  const Dump k8 = good(8);
  CHECK(ownership_gate(8, k8.a, k8.b).text() ==
        "gate fragment ownership: all 192 elements match the PTX tables");
  const Dump k16 = good(16);
  CHECK(ownership_gate(16, k16.a, k16.b).text() ==
        "gate fragment ownership, m16n8k16: all 384 elements match the PTX tables");
  CHECK(ownership_gate(16, k16.a, k16.b).checked() == 384);
}

TEST_CASE("control: swapped a1/a2 fails, and lane, register, half and both cells are named") {
  const auto swap = [](int i) { return i == 1 ? 2 : i == 2 ? 1 : i; };
  const Dump bad = dump(8, swap);
  const GateResult result = ownership_gate(8, bad.a, bad.b);
  CHECK_FALSE(result.passed());
  CHECK(says(result, "64 of 192 elements"));
  CHECK(says(result, "lane 0, a1 (register 0, high half)"));
  CHECK(says(result, "expected A[0][1] = 1, got 64 = A[8][0]"));
  CHECK(says(result, "elements a1 and a2 are exchanged"));
  const Dump bad16 = dump(16, swap);
  CHECK(says(ownership_gate(16, bad16.a, bad16.b), "elements a1 and a2 are exchanged"));
}

TEST_CASE("control: exchanged registers are told from exchanged elements") {
  const Dump k16 = dump(16, [](int i) { return i / 2 == 1 ? i + 2 : i / 2 == 2 ? i - 2 : i; });
  CHECK(says(ownership_gate(16, k16.a, k16.b), "registers 1 and 2 of A"));
  const Dump k8 = dump(8, [](int i) { return i ^ 2; });
  CHECK(says(ownership_gate(8, k8.a, k8.b), "registers 0 and 1 of A"));
}

TEST_CASE("control: NaN, zero, strangers and one wrong element of B are named") {
  Dump bad = good(8);
  bad.a[7] = std::nanf("");
  CHECK(says(ownership_gate(8, bad.a, bad.b), "lane 1, a3 (register 1, high half)"));
  CHECK(says(ownership_gate(8, bad.a, bad.b), "never written"));
  bad = good(8);
  bad.b[11] = 5000.0f;
  CHECK(says(ownership_gate(8, bad.a, bad.b), "lane 5, b1"));
  CHECK(says(ownership_gate(8, bad.a, bad.b), "expected B[3][1] = 225, got 5000 = no cell"));
  bad = good(8);
  bad.b[0] = 0.0f;
  CHECK(says(ownership_gate(8, bad.a, bad.b), "a register nobody loaded"));
  bad = good(8);
  bad.a[0] = -0.0f;
  CHECK_FALSE(ownership_gate(8, bad.a, bad.b).passed());
}

TEST_CASE("a dump of the wrong size or shape is refused") {
  const Dump k8 = good(8);
  CHECK_THROWS_WITH(ownership_gate(16, k8.a, k8.b),
                    "A fragments: 128 values were dumped, the gate needs 256");
  CHECK_THROWS(ownership_gate(4, k8.a, k8.b));
}

TEST_CASE("one-hot products prove C/D") {
  std::vector<float> d = one_hot_products();
  CHECK(accumulator_gate(8, d).text() ==
        "gate accumulator ownership: all 128 elements of D match the PTX table (16,384 one-hot "
        "values, bit for bit)");
  CHECK(accumulator_gate(16, d).passed());
}

TEST_CASE("control: C/D with c1 and c2 exchanged, a stray value, NaN") {
  std::vector<float> d = one_hot_products();
  for (std::size_t at = 0; at < d.size(); at += 4) std::swap(d[at + 1], d[at + 2]);
  const GateResult swapped = accumulator_gate(8, d);
  CHECK_FALSE(swapped.passed());
  CHECK(says(swapped, "sets only D[0][1] (k = 1) left 0 in lane 0, c1"));
  CHECK(says(swapped, "puts D[0][1] in lane 0, c1"));
  d = one_hot_products();
  d[5000] = 1.0f;
  CHECK(says(accumulator_gate(8, d), "1 of 16,384"));
  d = one_hot_products();
  d[9] = std::nanf("");
  CHECK(says(accumulator_gate(8, d), "never dumped"));
  CHECK_THROWS(accumulator_gate(8, std::vector<float>(12)));
}
