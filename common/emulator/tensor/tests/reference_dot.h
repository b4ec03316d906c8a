// A slow, obviously right model of one tensor core step, one element at a time, in integers.
// It shares no code with the kernels: the two agree only if both follow the stated algorithm.
#pragma once

#include <cstdint>
#include <span>

namespace tcd::emu::reference {

struct Format {
  int exponent_bits, fraction_bits;
  bool has_infinity = true;  // false: only all ones is special, and NaN (E4M3)
};
inline constexpr Format kF16{5, 10}, kBf16{8, 7}, kTf32{8, 10}, kF32{8, 23}, kE5m2{5, 2};
inline constexpr Format kE4m3{4, 3, false};

// d = a . b + c in one step: all terms aligned to the largest exponent at once. a and b hold
// patterns of `inputs` (TF32: the upper 19 bits of an FP32 pattern), c one of `result`.
// Returns a pattern of `result`: kF32 (rounded toward zero) or kF16 (to nearest even).
// floor: the exponent the largest one counts as at least; kNoFloor: none.
inline constexpr int kNoFloor = -100000;
uint32_t step(std::span<const uint32_t> a, std::span<const uint32_t> b, uint32_t c, Format inputs,
              Format result, int fraction_bits, int floor = kNoFloor);

// The whole k in chunks, the accumulator rounded between them.
uint32_t dot(std::span<const uint32_t> a, std::span<const uint32_t> b, uint32_t c, Format inputs,
             Format result, int chunk, int fraction_bits, int floor = kNoFloor);

// One format's pattern as another's: exact to kF32, to nearest even to kF16; NaN becomes the
// canonical one.
uint32_t convert(uint32_t pattern, Format from, Format to);

}  // namespace tcd::emu::reference
