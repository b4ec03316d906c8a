#include "gates/output.h"

#include <doctest/doctest.h>

#include <stdexcept>

#include "fake_gemm.h"
#include "gates/compare.h"

using namespace tcd;
using namespace tcd::test;

TEST_CASE("guards: untouched passes and counts; a payload write is not the guards' business") {
  for (const OutputType type : {OutputType::kF32, OutputType::kF16}) {
    GuardedOutput d(type, row_major(5, 6, 2), 100);
    CHECK(d.payload_offset() == 128 * bytes_per_element(type));
    CHECK(d.view().bits(4, 5) == fill_bits(type));
    CHECK(bits_are_nan(type, fill_bits(type)));
    const GateResult clean = d.check_guards("guards");
    CHECK(clean.passed());
    CHECK(clean.checked() == 2 * 128 + 5 * 2);
    CHECK(says(clean, "266 guard elements untouched"));
    for (int r = 0; r < 5; ++r) {
      for (int c = 0; c < 6; ++c) store(d, type, d.view().layout.index(r, c), r * 6 + c);
    }
    CHECK(d.check_guards("guards").passed());
    CHECK(d.view().value(4, 5) == 29);
    d.fill();
    CHECK(d.view().bits(0, 0) == fill_bits(type));
  }
}

TEST_CASE("control: a write before, after, and into the padding is found and placed") {
  for (const OutputType type : {OutputType::kF32, OutputType::kF16}) {
    GuardedOutput d(type, row_major(5, 6, 2));
    store(d, type, 2 * 8 + 7, 1.5);
    const GateResult padding = d.check_guards("guards");
    CHECK_FALSE(padding.passed());
    CHECK(says(padding, "0 elements before it, 1 in the padding between rows, 0 after it"));
    CHECK(says(padding, "padding of row 2, at column 7 of 6 (leading dimension 8): found 1.5"));
    CHECK(says(padding, "column guard is missing"));
    d.fill();
    store(d, type, -3, 2.0);
    CHECK(says(d.check_guards("guards"), "first 3 elements before the first element of D"));
    d.fill();
    store(d, type, 5 * 8 + 17, 2.0);
    CHECK(says(d.check_guards("guards"), "first 17 elements after the end of D"));
    CHECK(says(d.check_guards("guards"), "M and N are confused"));
    d.fill();
    store(d, type, 6, std::bit_cast<float>(0x7FFFFFFFu));  // NaN, but not the fill
    CHECK_FALSE(d.check_guards("guards").passed());
  }
}

TEST_CASE("column-major padding is guarded too") {
  GuardedOutput d(OutputType::kF32, column_major(6, 5, 2));
  CHECK(d.check_guards("guards").passed());
  store(d, OutputType::kF32, 3 * 8 + 6, 1.0);
  CHECK(says(d.check_guards("guards"), "padding of column 3, at row 6 of 6"));
}

TEST_CASE("bad layouts are refused in words") {
  CHECK_THROWS_WITH_AS(GuardedOutput(OutputType::kF32, MatrixLayout{4, 8, 7, Order::kRowMajor}),
                       doctest::Contains("leading dimension 7"), std::invalid_argument);
  CHECK_THROWS_AS(GuardedOutput(OutputType::kF32, row_major(4, 8), 0), std::invalid_argument);
}

TEST_CASE("the verdict on one element") {
  const auto f32 = [](float v) { return std::bit_cast<std::uint32_t>(v); };
  const auto agree = [&](std::uint32_t want, std::uint32_t have, ZeroSign zero = ZeroSign::kPlus) {
    return bits_agree(OutputType::kF32, want, have, zero);
  };
  CHECK(agree(f32(1), f32(1)));
  CHECK_FALSE(agree(f32(1), f32(1) + 1));
  CHECK_FALSE(agree(kFillF32, kFillF32));  // even an expected NaN does not let one pass
  CHECK_FALSE(agree(f32(0), f32(-0.0f)));
  CHECK(agree(f32(0), f32(-0.0f), ZeroSign::kEither));
  CHECK_FALSE(agree(f32(0), 1, ZeroSign::kEither));  // the smallest subnormal is no zero
  CHECK_FALSE(bits_agree(OutputType::kF16, 0x7C01, 0x7C01, ZeroSign::kEither));
  CHECK(bits_agree(OutputType::kF16, 0x8000, 0x0000, ZeroSign::kEither));
}
