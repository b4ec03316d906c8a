#include "gates/product.h"

#include <doctest/doctest.h>

#include <stdexcept>

#include "gates/inputs.h"
#include "gates/integer_gemm.h"

using namespace tcd;

TEST_CASE("the integer reference equals the double reference at odd shapes and all layouts") {
  const int shapes[][3] = {{1, 1, 1}, {5, 7, 3}, {17, 33, 65}, {64, 31, 513}, {100, 97, 1030}};
  for (const auto& [m, n, k] : shapes) {
    for (const bool a_rows : {true, false}) {
      for (const bool b_rows : {true, false}) {
        const HalfMatrix a = quarters(a_rows ? row_major(m, k, 5) : column_major(m, k, 3), 11);
        const HalfMatrix b = quarters(b_rows ? row_major(k, n) : column_major(k, n, 8), 12);
        const Product fast = integer_reference(a, b);
        CHECK(fast.rows == m);
        CHECK(fast.cols == n);
        CHECK(fast.values == double_reference(a, b).values);
      }
    }
  }
}

TEST_CASE("control: the references notice one changed input") {
  HalfMatrix a = quarters(row_major(17, 65), 1);
  const HalfMatrix b = quarters(row_major(65, 33), 2);
  const Product before = integer_reference(a, b);
  a.set(16, 64, a.at(16, 64) == 2.0f ? 1.75f : a.at(16, 64) + 0.25f);
  CHECK(integer_reference(a, b).values != before.values);
  CHECK(integer_reference(a, b).values == double_reference(a, b).values);
}

TEST_CASE("every instruction set gives the same sums") {
  const int m = 37, n = 75, k = 1111;
  std::vector<std::int16_t> a(static_cast<std::size_t>(m) * k), b(static_cast<std::size_t>(k) * n);
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<std::int16_t>(random_bits(1, i) % 513) - 256;
  }
  for (std::size_t i = 0; i < b.size(); ++i) {
    b[i] = static_cast<std::int16_t>(random_bits(2, i) % 513) - 256;
  }
  const auto portable = integer_gemm_on("portable", m, n, k, a, b);
  std::int32_t first = 0;
  for (int kk = 0; kk < k; ++kk)
    first += a[static_cast<std::size_t>(kk)] * b[static_cast<std::size_t>(kk * n)];
  CHECK(portable[0] == first);
  for (const std::string& path : integer_gemm_paths()) {
    CAPTURE(path);
    CHECK(integer_gemm_on(path, m, n, k, a, b) == portable);
  }
  CHECK(integer_gemm_paths().back() == "portable");
  CHECK_THROWS(integer_gemm_on("sse9", m, n, k, a, b));
}

TEST_CASE("what cannot be exact is refused, with the element") {
  HalfMatrix a = quarters(row_major(3, 4), 1);
  const HalfMatrix b = quarters(row_major(4, 3), 2);
  a.set(2, 1, 0.125f);
  CHECK_THROWS_WITH_AS(integer_reference(a, b), doctest::Contains("A[2][1] = 0.125"),
                       std::domain_error);
  CHECK_NOTHROW(double_reference(a, b));
  const HalfMatrix big_a = random_for_timing(row_major(4, 512), 1);
  const HalfMatrix big_b = random_for_timing(row_major(512, 4), 2);
  CHECK_THROWS_WITH_AS(double_reference(big_a, big_b), doctest::Contains("is no FP32 value"),
                       std::domain_error);
  CHECK_THROWS_AS(integer_reference(big_a, big_b), std::domain_error);
  CHECK_THROWS_AS(integer_reference(a, quarters(row_major(5, 3), 1)), std::invalid_argument);
  HalfMatrix huge_a(row_major(1, 64)), huge_b(row_major(64, 1));
  for (int i = 0; i < 64; ++i) {
    huge_a.set(0, i, 2048.0f);
    huge_b.set(i, 0, 2048.0f);
  }
  CHECK_THROWS_WITH_AS(integer_reference(huge_a, huge_b), doctest::Contains("32 bits"),
                       std::domain_error);
}
