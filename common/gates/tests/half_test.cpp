#include "gates/half.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace tcd;

TEST_CASE("every FP16 value survives the way to float and back") {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    if (half_is_nan(half)) {
      CHECK(std::isnan(half_to_float(half)));
      CHECK(half_is_nan(float_to_half(half_to_float(half))));
    } else if (float_to_half(half_to_float(half)) != half) {
      FAIL_CHECK("changed: " << bits);
    }
  }
}

TEST_CASE("rounding is to nearest, ties to even, at every neighbouring pair") {
  for (std::uint32_t bits = 0; bits < 0x7BFF; ++bits) {
    const auto low = static_cast<std::uint16_t>(bits);
    const auto high = static_cast<std::uint16_t>(bits + 1);
    const double a = half_to_float(low);
    const double b = half_to_float(high);
    const double middle = (a + b) / 2;  // exact in double
    const std::uint16_t even = (low & 1) == 0 ? low : high;
    const bool good = double_to_half(middle) == even &&
                      double_to_half(std::nextafter(middle, a)) == low &&
                      double_to_half(std::nextafter(middle, b)) == high &&
                      double_to_half(-middle) == (even | 0x8000);
    if (!good) FAIL_CHECK("wrong around " << bits);
  }
}

TEST_CASE("the ends of the range") {
  CHECK(float_to_half(65504.0f) == 0x7BFF);
  CHECK(double_to_half(65519.999) == 0x7BFF);
  CHECK(float_to_half(65520.0f) == 0x7C00);  // the tie goes to even, which is infinity
  CHECK(float_to_half(1e30f) == 0x7C00);
  CHECK(float_to_half(-std::numeric_limits<float>::infinity()) == 0xFC00);
  CHECK(float_to_half(-0.0f) == 0x8000);
  CHECK(float_to_half(0x1p-24f) == 0x0001);
  CHECK(float_to_half(0x1p-25f) == 0x0000);  // tie to even
  CHECK(float_to_half(0x1.8p-25f) == 0x0001);
  CHECK(float_to_half(0x1p-26f) == 0x0000);
  CHECK(double_to_half(std::numeric_limits<double>::denorm_min()) == 0x0000);
  // Double rounding would give 0x3C00 here: the double is just above the tie 1 + 2^-11.
  CHECK(double_to_half(1.0 + 0x1p-11 + 0x1p-40) == 0x3C01);
  CHECK(half_is_nan(0x7C01));
  CHECK_FALSE(half_is_nan(0x7C00));
}
