#include "gates/inputs.h"

#include <doctest/doctest.h>

#include <map>

#include "gates/exactness.h"

using namespace tcd;

TEST_CASE("quarters: 17 values, all present, deterministic on every platform") {
  const HalfMatrix m = quarters(row_major(64, 100, 5), 7);
  std::map<float, int> counts;
  for (int r = 0; r < 64; ++r) {
    for (int c = 0; c < 100; ++c) ++counts[m.at(r, c)];
  }
  CHECK(counts.size() == 17);
  CHECK(counts.begin()->first == -2.0f);
  CHECK(counts.rbegin()->first == 2.0f);
  for (const auto& [value, count] : counts) {
    CHECK(value * 4 == static_cast<float>(static_cast<int>(value * 4)));
    CHECK(count > 250);  // 376 expected
  }
  // Computed apart, in Python: the generator may not change under anybody's recorded seed.
  CHECK(random_bits(0, 0) == 0xAD53D5472392EDECull);
  CHECK(random_bits(7, 12345) == 0x788863F63034723Dull);
  CHECK(m.bits != quarters(row_major(64, 100, 5), 8).bits);
}

TEST_CASE("the layout changes where an element is, never what it is; padding is NaN") {
  const HalfMatrix rows = quarters(row_major(33, 17, 3), 1);
  const HalfMatrix cols = quarters(column_major(33, 17, 9), 1);
  CHECK(rows.layout.ld == 20);
  CHECK(cols.layout.ld == 42);
  for (int r = 0; r < 33; ++r) {
    for (int c = 0; c < 17; ++c) CHECK(rows.at(r, c) == cols.at(r, c));
    for (int pad = 17; pad < 20; ++pad) {
      CHECK(half_is_nan(rows.bits[static_cast<std::size_t>(r * 20 + pad)]));
    }
  }
  CHECK_THROWS_WITH(row_major(0, 4), "a matrix of 0 x 4 has no elements: both must be at least 1");
  CHECK_THROWS(column_major(3, 4, -1));
}

TEST_CASE("signs are sparse, one-hot is one") {
  const HalfMatrix m = signs(row_major(200, 200), 3, 0.25);
  int nonzero = 0;
  for (const std::uint16_t bits : m.bits) {
    const float value = half_to_float(bits);
    CHECK((value == 0 || value == 1 || value == -1));
    CHECK(bits != 0x8000);
    nonzero += value != 0;
  }
  CHECK(nonzero > 9500);
  CHECK(nonzero < 10500);
  CHECK_THROWS(signs(row_major(2, 2), 1, 1.5));
  const HalfMatrix hot = one_hot(column_major(5, 6), 4, 2);
  for (int r = 0; r < 5; ++r) {
    for (int c = 0; c < 6; ++c) CHECK(hot.at(r, c) == (r == 4 && c == 2 ? 1.0f : 0.0f));
  }
  CHECK_THROWS(one_hot(row_major(5, 6), 5, 0));
}

TEST_CASE("timing inputs are inexact on purpose") {
  const HalfMatrix a = random_for_timing(row_major(8, 512), 1);
  const HalfMatrix b = random_for_timing(row_major(512, 8), 2);
  for (const std::uint16_t bits : a.bits) {
    CHECK(half_to_float(bits) >= -1.0f);
    CHECK(half_to_float(bits) <= 1.0f);
  }
  CHECK_FALSE(exactness_bound(a, b).holds());
}

TEST_CASE("the bound is computed from the data") {
  HalfMatrix a = one_hot(row_major(3, 4), 1, 0, 2.0f);
  a.set(1, 3, -0.25f);
  HalfMatrix b = one_hot(row_major(4, 2), 0, 1, 1.5f);
  const ExactnessBound bound = exactness_bound(a, b);
  CHECK(bound.unit == 0.125);        // 0.25 x 0.5
  CHECK(bound.largest_units == 27);  // (2 + 0.25) x 1.5 / 0.125
  CHECK(bound.worst_row == 1);
  CHECK(bound.holds());
  CHECK(exactness_bound(a, b, 4).holds() == false);
  CHECK(exactness_bound(a, b, 5).holds());
  const float bias[] = {0.0625f, 8.0f};
  CHECK(exactness_bound(a, b, 24, bias).unit == 0.0625);
  CHECK(exactness_bound(a, b, 24, bias).largest_units == 54 + 128);
}

TEST_CASE("quarters: FP32 holds where the design says, FP16 does not") {
  const auto row = [](int k) { return quarters(row_major(4, k), 1); };
  const auto col = [](int k) { return quarters(row_major(k, 4), 2); };
  CHECK(exactness_bound(row(4096), col(4096)).holds());
  CHECK(exactness_bound(row(4096), col(4096)).unit == 0.0625);
  CHECK_FALSE(exactness_bound(row(256), col(256), kFp16SignificandBits).holds());
  CHECK(exactness_bound(signs(row_major(4, 2048), 1), signs(row_major(2048, 4), 2),
                        kFp16SignificandBits)
            .holds());
  CHECK_FALSE(exactness_bound(signs(row_major(4, 8192), 1), signs(row_major(8192, 4), 2),
                              kFp16SignificandBits)
                  .holds());
  CHECK(exactness_bound(signs(row_major(4, 8192), 1, 0.2), signs(row_major(8192, 4), 2),
                        kFp16SignificandBits)
            .holds());
}

TEST_CASE("exactly at K = 262,144 the FP32 bound is reached, one more breaks it") {
  const auto twos = [](int rows, int cols) {
    HalfMatrix m(row_major(rows, cols));
    for (int r = 0; r < rows; ++r) {
      for (int c = 0; c < cols; ++c) m.set(r, c, 2.0f);
    }
    m.set(0, 0, 1.75f);  // brings the unit down to 1/16
    return m;
  };
  // 262,143 x 2 + 1.75 on one side, the largest |b| is 2.
  CHECK(exactness_bound(twos(1, 262144), twos(262144, 1)).holds());
  const ExactnessBound above = exactness_bound(twos(1, 262145), twos(262145, 1));
  CHECK_FALSE(above.holds());
  CHECK(above.explain().find("the limit is 2^24 = 16777216: sums may round") != std::string::npos);
}

TEST_CASE("a NaN or infinite input breaks the bound") {
  HalfMatrix a = quarters(row_major(2, 2), 1);
  const HalfMatrix b = quarters(row_major(2, 2), 2);
  a.bits[1] = 0x7C00;
  CHECK_FALSE(exactness_bound(a, b).holds());
  a.bits[1] = 0x7E00;
  CHECK_FALSE(exactness_bound(a, b).holds());
  CHECK(exactness_bound(a, b).explain().find("NaN") != std::string::npos);
  CHECK_THROWS(exactness_bound(quarters(row_major(2, 3), 1), b));
}
