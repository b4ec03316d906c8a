// Controls of the GEMM gate: each mistake must fail, and be called by its name.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "fake_gemm.h"

using namespace tcd;
using namespace tcd::test;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double raw(const HalfMatrix& matrix, std::int64_t index) {
  if (index >= static_cast<std::int64_t>(matrix.bits.size())) return 0;
  return half_to_float(matrix.bits[static_cast<std::size_t>(index)]);
}

// Fails, and the pattern is named.
void must_say(Problem& problem, const std::string& words) {
  const GateResult result = problem.run();
  CHECK_FALSE(result.passed());
  INFO(result.text());
  CHECK(says(result, words));
}

}  // namespace

TEST_CASE("the right answer passes, in every type and layout") {
  for (const OutputType type : {OutputType::kF32, OutputType::kF16}) {
    for (const bool b_rows : {true, false}) {
      Problem problem(type, 96, 64, 160, {}, b_rows);
      CHECK(exactness_bound(problem.a, problem.b).holds());
      const GateResult result = problem.run();
      CHECK(result.text() == "gate control: passed (6,144 elements, bit for bit)");
      CHECK(problem.d.check_guards("guards").passed());
    }
  }
}

TEST_CASE("control: one NaN fails; element, owner, hex and cause are named") {
  Problem problem(OutputType::kF32, 96, 64, 160);
  problem.finish = [](int r, int c, double s) { return r == 41 && c == 35 ? kNan : s; };
  const GateResult result = problem.run();
  CHECK_FALSE(result.passed());
  CHECK(says(result, "1 of 6,144 elements differ, 1 of them NaN (0 never written)"));
  CHECK(says(result, "first at (row 41, column 35): expected "));
  CHECK(says(result, "got NaN (0x7FC00000)"));
  // Row 41 is row 9 of CTA row 1, column 35 column 3 of CTA column 1: warp 0, tile (0, 0).
  CHECK(says(result, "owned by CTA (1, 1), warp 0, lane 5, register c3 of its m16n8 tile (0, 0)"));
  CHECK(says(result, "1 elements are NaN that the kernel computed"));
}

TEST_CASE("control: an output never written") {
  Problem problem(OutputType::kF16, 96, 64, 160);
  problem.skips = [](int, int) { return true; };
  must_say(problem, "the whole output was never written");
  problem.skips = [](int r, int c) { return r == 3 && c == 4; };
  must_say(problem, "every wrong element was never written");
  must_say(problem, "expected ");
}

TEST_CASE("control: fragment registers and elements exchanged") {
  Problem problem(OutputType::kF32, 96, 64, 160);
  const auto& a = problem.a;
  problem.read_a = [&](int r, int k) {
    if (r % 16 < 8 && k % 2 == 1) return a.at(r + 8, k - 1);
    if (r % 16 >= 8 && k % 2 == 0) return a.at(r - 8, k + 1);
    return a.at(r, k);
  };
  must_say(problem, "elements a1 and a2 of the A fragment are exchanged");
  problem.read_a = [&](int r, int k) {
    return (r & 8) != (k & 8) ? a.at(r ^ 8, k ^ 8) : a.at(r, k);
  };
  must_say(problem, "registers 1 and 2 of the m16n8k16 A fragment are exchanged");
  problem.read_a = [&](int r, int k) { return a.at(r & ~8, k); };
  must_say(problem, "rows 8-15 of every 16 rows of D repeat rows 0-7");
  must_say(problem, "where: only rows 8-15 of every 16 are wrong: the lower half of the fragments");
  problem.read_a = [&](int r, int k) { return a.at(r, k ^ 1); };
  must_say(problem, "neighbouring k of A are exchanged");
}

TEST_CASE("control: a swizzle on one side only") {
  Problem problem(OutputType::kF32, 96, 64, 160, {}, false);
  problem.read_a = [&](int r, int k) { return problem.a.at(r, k ^ (r >> 1 & 3) * 8); };
  must_say(problem, "the 16-byte chunks of A's rows are exchanged by chunk ^ (row >> 1) & 3");
  problem.read_b = [&](int k, int c) { return problem.b.at(k ^ (c >> 1 & 3) * 8, c); };
  must_say(problem, "of A's rows and of B's columns are exchanged by chunk ^ (row >> 1) & 3");
  Problem other(OutputType::kF16, 96, 64, 128, {}, false);
  other.read_b = [&](int k, int c) { return other.b.at(k ^ (c & 3) * 8, c); };
  must_say(other, "the 16-byte chunks of B's columns are exchanged by chunk ^ row & 3");
  must_say(other, "look at: the swizzle");
}

TEST_CASE("control: the bias of another column") {
  Epilogue epilogue;
  for (int c = 0; c < 64; ++c) epilogue.bias.push_back(static_cast<float>(c * c % 61) * 0.25f);
  Problem problem(OutputType::kF32, 96, 64, 160, epilogue);
  const auto with = [&](auto column_of) {
    problem.finish = [&, column_of](int, int c, double sum) {
      const auto bias = [&](int at) { return epilogue.bias[static_cast<std::size_t>(at)]; };
      return sum - bias(c) + bias(std::min(column_of(c), 63));
    };
  };
  with([](int c) { return c + 1; });
  must_say(problem, "the bias is that of 1 column(s) to the right");
  with([](int c) { return c ^ 1; });
  must_say(problem, "the two columns of each pair have each other's bias");
  with([](int c) { return c & ~1; });
  must_say(problem, "both columns of each pair have the first one's bias");
  with([](int c) { return c % 8; });
  must_say(problem, "the bias repeats every 8 columns");
  with([](int c) { return c % 32; });
  must_say(problem, "the bias repeats every 32 columns: the column inside the CTA's tile");
}

TEST_CASE("control: A or B transposed, as a whole or tile by tile") {
  Problem problem(OutputType::kF32, 96, 96, 96);
  problem.read_a = [&](int r, int k) { return problem.a.at(k, r); };
  must_say(problem, "A is read transposed (as column-major, leading dimension 104)");
  problem.read_a = [&](int r, int k) {
    return problem.a.at((r & ~7) | (k & 7), (k & ~7) | (r & 7));
  };
  must_say(problem, "every 8 x 8 tile of A is transposed");
  Problem other(OutputType::kF16, 96, 64, 160);
  other.read_b = [&](int k, int c) { return raw(other.b, std::int64_t{c} * 160 + k); };
  must_say(other, "are NaN that the kernel computed");  // it reads B's padding
  must_say(other,
           "it would fit: B is read transposed (as column-major, leading dimension 160 (K))");
  set_padding(other.b, 0.5f);
  must_say(other, "pattern: B is read transposed (as column-major, leading dimension 160 (K))");
  other.read_b = [&](int k, int c) { return other.b.at((k & ~7) | (c & 7), (c & ~7) | (k & 7)); };
  must_say(other, "every 8 x 8 tile of B is transposed");
  must_say(other, ".trans");
}

TEST_CASE("control: the wrong leading dimension, of A, B and D") {
  Problem problem(OutputType::kF32, 96, 64, 160);
  problem.read_a = [&](int r, int k) { return raw(problem.a, std::int64_t{r} * 160 + k); };
  must_say(problem, "A is read with leading dimension 160 (K) instead of 168");
  Problem other(OutputType::kF16, 96, 64, 160);
  other.read_b = [&](int k, int c) { return raw(other.b, std::int64_t{k} * 64 + c); };
  must_say(other, "it would fit: B is read with leading dimension 64 (N) instead of 88");
  set_padding(other.b, 0.0f);
  must_say(other, "pattern: B is read with leading dimension 64 (N) instead of 88");
  Problem third(OutputType::kF32, 96, 64, 160);
  third.index = [](int r, int c) { return std::int64_t{r} * 64 + c; };
  must_say(third, "D is stored with leading dimension 64 (N) instead of 104");
}

TEST_CASE("control: M and N confused, in every way there is") {
  Problem problem(OutputType::kF32, 96, 64, 160);
  problem.index = [](int r, int c) { return std::int64_t{r} * 96 + c; };
  must_say(problem, "leading dimension 96 (M) instead of 104: M and N are confused");
  problem.index = [](int r, int c) { return std::int64_t{c} * 104 + r; };
  must_say(problem, "D is stored transposed, with leading dimension 104 (its own): M and N");
  problem.index = [&](int r, int c) { return problem.d.view().layout.index(r, c); };
  problem.skips = [](int r, int) { return r >= 64; };  // rows limited by N
  must_say(problem,
           "rows 64-95 are wrong, all of them, the rest is right: a limit (grid or guard) "
           "is taken from the wrong dimension; M and N are confused");
  Problem wide(OutputType::kF16, 64, 160, 32);
  wide.skips = [](int, int c) { return c >= 64; };  // columns limited by M
  must_say(wide, "columns 64-159 are wrong");
  must_say(wide, "M and N are confused");
  Problem square(OutputType::kF32, 96, 96, 64);
  square.read_a = [&](int r, int k) { return square.a.at(r, k); };
  square.index = [&](int r, int c) {  // blockIdx.x and .y swapped in the store
    return square.d.view().layout.index(c / 32 * 32 + r % 32, r / 32 * 32 + c % 32);
  };
  must_say(square, "blockIdx.x and blockIdx.y are confused (M and N)");
}

TEST_CASE("control: k slices missing, doubled, stale, cut off") {
  Problem problem(OutputType::kF32, 96, 64, 160);
  problem.weight = [](int, int, int k) { return k / 32 == 2 ? 0.0 : 1.0; };
  must_say(problem, "one k-slice is missing: k = 64..95 (slice 2 of width 32)");
  problem.weight = [](int, int, int k) { return k / 8 == 19 ? 0.0 : 1.0; };
  must_say(problem, "one k-slice is missing: k = 152..159 (slice 19 of width 8)");
  problem.weight = [](int, int, int k) { return k / 16 == 0 ? 2.0 : 1.0; };
  must_say(problem, "one k-slice is counted twice: k = 0..15");
  problem.weight = [](int, int, int k) { return k < 96 ? 1.0 : 0.0; };
  must_say(problem, "only k below 96 was summed");
  problem.weight = [](int, int, int k) { return k % 16 < 8 ? 1.0 : 0.0; };
  must_say(problem, "from every 16 of k, k = 8..15 are missing");
  problem.weight = [](int, int, int k) { return k < 128 ? 1.0 : 0.0; };
  must_say(problem, "one k-slice is missing: k = 128..159 (slice 4 of width 32)");
  must_say(problem, "the k loop ends one trip early");
  problem.weight = [](int, int, int k) { return k < 8 ? 0.0 : 1.0; };
  must_say(problem, "one k-slice is missing: k = 0..7 (slice 0 of width 8)");
  problem.weight = [](int, int, int) { return 1.0; };
  problem.read_a = [&](int r, int k) { return problem.a.at(r, k / 32 == 3 ? k - 64 : k); };
  must_say(problem, "for k = 96..127, A came from k = 32..63 (a stale or early buffer)");
  must_say(problem, "cp.async.wait_group");
}

TEST_CASE("control: a slice missing in one CTA only, and at random") {
  Problem problem(OutputType::kF16, 96, 64, 160);
  problem.weight = [](int r, int c, int k) {
    return r / 32 == 1 && c / 32 == 1 && k / 32 == 4 ? 0.0 : 1.0;
  };
  must_say(problem, "where: rows 32-63, columns 32-63 are wrong");
  must_say(problem, "k = 128..159 (slice 4 of width 32)");
  must_say(problem, "the others are right");
  problem.weight = [](int r, int c, int k) {
    return k / 32 == (r * 7 + c) % 5 && c % 3 == 0 ? 0.0 : 1.0;
  };
  must_say(problem, "misses one k-slice of width 32, but not all the same one: a race");
}

TEST_CASE("control: one element off by one unit in the last place") {
  Problem problem(OutputType::kF32, 96, 64, 160);
  problem.finish = [](int r, int c, double s) {
    return r == 12 && c == 7 ? std::nextafterf(static_cast<float>(s), 1e9f) : s;
  };
  must_say(problem, "1 of 6,144 elements differ");
  must_say(problem, "first at (row 12, column 7)");
  must_say(problem, "lane 19, register c3");
  must_say(problem, "off by one unit in the last place");
  Problem half(OutputType::kF16, 96, 64, 1600);
  half.finish = [](int, int, double s) {
    const std::uint32_t bits = bits_of_value(OutputType::kF16, s);
    const double rounded = value_of_bits(OutputType::kF16, bits);
    return value_of_bits(OutputType::kF16, std::fabs(rounded) > std::fabs(s) ? bits - 1 : bits);
  };
  must_say(half, "rounded toward zero instead of to nearest even");
}

TEST_CASE("control: accumulators exchanged, neighbouring tiles, factors, zeros") {
  Problem problem(OutputType::kF32, 96, 64, 160);
  const auto layout = problem.d.view().layout;
  problem.index = [&](int r, int c) {
    if (r % 16 < 8 && c % 2 == 1) return layout.index(r + 8, c - 1);
    if (r % 16 >= 8 && c % 2 == 0) return layout.index(r - 8, c + 1);
    return layout.index(r, c);
  };
  must_say(problem, "accumulators c1 and c2 are exchanged");
  problem.index = [&](int r, int c) { return layout.index(r, c); };
  problem.read_a = [&](int r, int k) { return problem.a.at((r + 16) % 96, k); };
  must_say(problem, "16 rows and 0 columns further");
  problem.read_a = [&](int r, int k) { return problem.a.at(r, k); };
  problem.finish = [](int, int, double s) { return 2 * s; };
  must_say(problem, "every wrong element is 2 times what it must be");
  must_say(problem, "not zeroed before the k loop");
  problem.finish = [](int, int, double) { return 0.0; };
  must_say(problem, "every wrong element is zero");
}

TEST_CASE("control: one register, one warp, odd columns are located") {
  Problem problem(OutputType::kF32, 96, 64, 160);
  const auto nonsense = [](double s, int r, int c) { return s + 1000 + r * 3 + c * c; };
  problem.finish = [&](int r, int c, double s) {
    return r % 16 >= 8 && c % 2 == 1 ? nonsense(s, r, c) : s;
  };
  must_say(problem, "only rows 8-15 of every 16 are wrong");
  must_say(problem, "only odd columns are wrong");
  must_say(problem, "pattern: no known pattern");
  problem.finish = [&](int r, int c, double s) { return c % 2 == 1 ? nonsense(s, r, c) : s; };
  must_say(problem, "only odd columns are wrong: c1 and c3");
  problem.finish = [&](int r, int c, double s) {
    return r % 16 == 3 && c % 8 == 6 && (r / 16 + c / 8) % 2 == 0 ? nonsense(s, r, c) : s;
  };
  must_say(problem, "all owned by lane 15");
  must_say(problem, "all in accumulator register c0");
}

TEST_CASE("control: bias and ReLU") {
  Epilogue epilogue;
  for (int c = 0; c < 64; ++c) epilogue.bias.push_back(static_cast<float>(c % 9) * 0.25f + 4.0f);
  epilogue.relu = true;
  Problem problem(OutputType::kF16, 96, 64, 160, epilogue);
  CHECK(problem.run().passed());
  const auto& product = problem.product;
  problem.finish = [&](int r, int c, double) { return std::max(0.0f, product.at(r, c)); };
  must_say(problem, "the bias is missing");
  problem.finish = [&](int r, int c, double) {
    return product.at(r, c) + epilogue.bias[static_cast<std::size_t>(c)];
  };
  must_say(problem, "the ReLU is missing");
}

TEST_CASE("an epilogue of its own rounds twice, and only a reference that does agrees") {
  Epilogue once;
  for (int c = 0; c < 64; ++c) once.bias.push_back(static_cast<float>(c % 9) * 0.25f + 100.0f);
  const auto rounded = [](double s) { return double{half_to_float(double_to_half(s))}; };
  // K = 2,560: a tenth of the sums is above 128, where FP16 holds multiples of 1/8 only.
  Problem fused(OutputType::kF16, 32, 64, 2560, once);
  CHECK(fused.run().passed());
  fused.finish = [&](int r, int c, double) {
    return once.apply(rounded(fused.product.at(r, c)), c);
  };
  must_say(fused, "the sum is rounded to FP16 before the bias is added");

  Epilogue twice = once;
  twice.separate = true;
  Problem separate(OutputType::kF16, 32, 64, 2560, twice);
  CHECK_FALSE(separate.run().passed());  // Problem rounds once unless told otherwise
  separate.finish = [&](int r, int c, double) {
    return once.apply(rounded(separate.product.at(r, c)), c);
  };
  CHECK(separate.run().passed());
  separate.finish = [&](int r, int c, double) { return rounded(separate.product.at(r, c)); };
  must_say(separate, "the bias is missing");

  twice.relu = true;  // in FP32 the first rounding loses nothing
  Problem exact(OutputType::kF32, 32, 64, 2560, twice);
  CHECK(exact.run().passed());
}

TEST_CASE("the sign of zero") {
  Problem problem(OutputType::kF32, 96, 64, 160);
  problem.finish = [](int, int, double s) { return s == 0 ? -0.0 : s; };
  must_say(problem, "zeros with the wrong sign");
  problem.gemm.zero = ZeroSign::kEither;
  CHECK(problem.run().passed());
  problem.finish = [](int r, int c, double s) { return r == 5 && c == 5 ? kNan : s; };
  CHECK_FALSE(problem.run().passed());  // kEither forgives no NaN
}

TEST_CASE("a broken reference is not believed, mismatched shapes are refused") {
  Problem problem(OutputType::kF32, 32, 32, 32);
  problem.run();
  problem.product.values[33] = std::numeric_limits<float>::quiet_NaN();
  const GateResult result = gemm_gate("control", problem.gemm, problem.d.view());
  CHECK_FALSE(result.passed());
  CHECK(says(result, "the reference itself holds NaN"));
  Problem other(OutputType::kF16, 32, 32, 32);
  CHECK_THROWS_AS(gemm_gate("control", problem.gemm, other.d.view()), std::invalid_argument);
  problem.gemm.tiling = Tiling{40, 32, 2, 2};
  CHECK_THROWS_WITH_AS(gemm_gate("control", problem.gemm, problem.d.view()),
                       doctest::Contains("40 x 32"), std::invalid_argument);
}

TEST_CASE("control: a single m16n8k8 tile, and shapes that are no multiple of anything") {
  Problem tile(OutputType::kF32, 16, 8, 8);
  tile.gemm.tiling = Tiling{16, 8, 1, 1};
  CHECK(tile.run().passed());
  const auto& a = tile.a;
  tile.read_a = [&](int r, int k) {
    if (r < 8 && k % 2 == 1) return a.at(r + 8, k - 1);
    if (r >= 8 && k % 2 == 0) return a.at(r - 8, k + 1);
    return a.at(r, k);
  };
  must_say(tile, "elements a1 and a2 of the A fragment are exchanged");
  tile.read_a = [&](int r, int k) { return a.at(r, k); };
  tile.read_b = [&](int k, int c) { return tile.b.at(c, k); };
  must_say(tile, "B is read transposed");  // with one tile the whole and the tile are the same
  Problem odd(OutputType::kF16, 37, 53, 71);
  CHECK(odd.run().passed());
  odd.weight = [](int, int, int k) { return k >= 64 ? 0.0 : 1.0; };
  must_say(odd, "one k-slice is missing: k = 64..70");
  odd.weight = [](int r, int c, int k) { return r == 36 && c == 52 && k == 70 ? 0.0 : 1.0; };
  must_say(odd, "first at (row 36, column 52)");
  must_say(odd, "too few wrong numbers to tell one");
}

TEST_CASE("nonsense matches no pattern, at any density") {
  for (const int every : {1, 7, 300}) {
    Problem problem(OutputType::kF16, 48, 40, 256);
    problem.finish = [every](int r, int c, double s) {
      const std::uint64_t bits = random_bits(9, static_cast<std::uint64_t>(r * 40 + c));
      return bits % static_cast<unsigned>(every) == 0
                 ? s + static_cast<double>(bits >> 20 & 1023) / 16 + 1.0 / 16
                 : s;
    };
    must_say(problem, "pattern: no known pattern");
  }
}
