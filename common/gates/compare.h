// Bit-for-bit comparison of an output with what it must be.
#pragma once

#include <cstdint>
#include <vector>

#include "gates/expected.h"
#include "gates/output.h"

namespace tcd {

// The sign of an exact zero. FP32 accumulation starts at +0, and under every rounding but "down"
// x + (-x), +0 + (-0) and +0 + 0 are +0; so a sum that is zero is +0, and -0 is a difference. Use
// kEither only where the arithmetic leaves the sign open (say, a factor of -1 in the epilogue).
enum class ZeroSign { kPlus, kEither };

struct Place {
  int row = 0;
  int col = 0;
};

// A NaN in the output always differs, whatever is expected.
struct Comparison {
  std::int64_t compared = 0;
  std::int64_t different = 0;
  std::int64_t never_written = 0;  // still the fill pattern
  std::int64_t computed_nan = 0;   // any other NaN
  std::int64_t bad_reference = 0;  // expected NaN or infinity: the gate itself is broken
  Place first;                     // in row order; meaningful when different > 0

  bool equal() const { return compared > 0 && different == 0 && bad_reference == 0; }
};

// Shapes must agree, else std::invalid_argument. Uses all cores.
Comparison compare_bits(const Expected& expected, const OutputView& got,
                        ZeroSign zero = ZeroSign::kPlus);

// The verdict on one element, as compare_bits makes it.
bool bits_agree(OutputType type, std::uint32_t expected, std::uint32_t got, ZeroSign zero);

}  // namespace tcd
