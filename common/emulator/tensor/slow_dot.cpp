#include "tensor/slow_dot.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace tcd::emu {
namespace {

constexpr int kFloatFraction = 23;
constexpr uint32_t kNan = 0x7fffffff;

struct Term {
  int64_t significand = 0;  // signed
  int exponent = 0;
};

Term term_of(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  int field = int(bits >> kFloatFraction & 255);
  int64_t significand = int64_t(bits & 0x7fffff) | (field ? 0x800000 : 0);
  return {bits >> 31 ? -significand : significand, std::max(field, 1) - 127};
}

// Magnitude truncation of significand / 2^fraction * 2^(exponent - top) to `bits` fraction bits.
int64_t aligned(Term t, int fraction, int top, int bits) {
  int drop = fraction - bits + top - t.exponent;
  uint64_t magnitude = uint64_t(t.significand < 0 ? -t.significand : t.significand);
  magnitude = drop > 63 ? 0 : drop >= 0 ? magnitude >> drop : magnitude << -drop;
  return t.significand < 0 ? -int64_t(magnitude) : int64_t(magnitude);
}

// sum * 2^unit toward zero; below 2^-126 FP32's fixed last bit of 2^-149.
float toward_zero(int64_t sum, int unit) {
  if (sum == 0) return 0.0f;
  uint64_t magnitude = uint64_t(sum < 0 ? -sum : sum);
  int width = 64 - std::countl_zero(magnitude);
  int drop = std::max(width - 24, -149 - unit);
  if (drop > 0) {
    magnitude = drop > 63 ? 0 : magnitude >> drop;
    unit += drop;
  }
  if (magnitude == 0) return 0.0f;  // +0, also for a negative sum
  // At most 24 bits are left: ldexp is exact, or overflows to infinity.
  float value = std::ldexp(float(magnitude), unit);
  return sum < 0 ? -value : value;
}

}  // namespace

float slow_dot(const float* a, const float* b, int count, float c, Alignment alignment) {
  const int fraction_bits = alignment.fraction_bits;
  float special = c;  // IEEE's class of result, in which finite products cannot overflow
  for (int k = 0; k < count; ++k) {
    bool finite = std::isfinite(a[k]) && std::isfinite(b[k]);
    if (!finite) special += a[k] * b[k];
  }
  if (std::isnan(special)) return std::bit_cast<float>(kNan);
  if (std::isinf(special)) return special;

  Term addend = term_of(c);
  int top = addend.significand ? addend.exponent : alignment.floor;
  for (int k = 0; k < count; ++k) {
    if (a[k] != 0 && b[k] != 0) {
      top = std::max(top, term_of(a[k]).exponent + term_of(b[k]).exponent);
    }
  }
  int64_t sum = addend.significand ? aligned(addend, kFloatFraction, top, fraction_bits) : 0;
  for (int k = 0; k < count; ++k) {
    Term x = term_of(a[k]), y = term_of(b[k]);
    if (x.significand == 0 || y.significand == 0) continue;
    Term product{x.significand * y.significand, x.exponent + y.exponent};
    sum += aligned(product, 2 * kFloatFraction, top, fraction_bits);
  }
  return toward_zero(sum, top - fraction_bits);
}

}  // namespace tcd::emu
