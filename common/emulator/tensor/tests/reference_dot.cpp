#include "tensor/tests/reference_dot.h"

#include <algorithm>
#include <cstdlib>

namespace tcd::emu::reference {
namespace {

enum class Kind { kFinite, kInfinite, kNan };

struct Number {
  Kind kind;
  bool negative;
  int64_t significand;  // value = significand * 2^(exponent - fraction_bits of the format)
  int exponent;         // as stored, at least the smallest normal one
};

Number decode(uint32_t pattern, Format format) {
  const uint32_t all_ones = (1u << format.exponent_bits) - 1;
  const uint32_t fraction = pattern & ((1u << format.fraction_bits) - 1);
  const uint32_t field = pattern >> format.fraction_bits & all_ones;
  const int bias = int(all_ones >> 1);
  Number n{Kind::kFinite, bool(pattern >> (format.exponent_bits + format.fraction_bits) & 1), 0, 0};
  const bool all_set = fraction == (1u << format.fraction_bits) - 1;
  if (field == all_ones && (format.has_infinity || all_set)) {
    n.kind = fraction ? Kind::kNan : Kind::kInfinite;
  } else if (field == 0) {
    n.significand = fraction;
    n.exponent = 1 - bias;
  } else {
    n.significand = int64_t{fraction} | int64_t{1} << format.fraction_bits;
    n.exponent = int(field) - bias;
  }
  return n;
}

// significand * 2^(exponent - fraction), cut to `bits` fraction bits below 2^top.
int64_t aligned(int64_t significand, int fraction, int exponent, int top, int bits) {
  int shift = bits - fraction - (top - exponent);
  if (shift >= 0) return significand << shift;  // at most 22 + 25 bits
  return shift < -62 ? 0 : significand >> -shift;
}

// |sum| * 2^scale as a pattern of `format`.
uint32_t encode(int64_t sum, int scale, Format format) {
  const int fraction = format.fraction_bits;
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const uint32_t sign = sum < 0 ? 1u << (format.exponent_bits + fraction) : 0;
  const uint32_t infinity = ((1u << format.exponent_bits) - 1) << fraction;
  uint64_t magnitude = uint64_t(std::llabs(sum));
  if (magnitude == 0) return 0;
  int exponent = 63 - __builtin_clzll(magnitude) + scale;  // of the leading bit
  int unit = std::max(exponent, 1 - bias) - fraction;      // exponent of the result's last bit
  int drop = unit - scale;
  uint64_t kept;
  if (drop <= 0) {
    kept = magnitude << -drop;
  } else if (drop > 62) {
    kept = 0;
  } else {
    kept = magnitude >> drop;
    uint64_t rest = magnitude & ((uint64_t{1} << drop) - 1), half = uint64_t{1} << (drop - 1);
    bool nearest_even = fraction == 10;
    if (nearest_even && (rest > half || (rest == half && (kept & 1)))) ++kept;
  }
  uint64_t field =
      uint64_t(std::max(unit + fraction + bias - 1, 0));  // carries add up by themselves
  uint64_t pattern = (field << fraction) + kept;
  if (pattern >= infinity) return sign | infinity;
  if (pattern == 0) return 0;  // no -0, also where a negative sum rounds to it
  return sign | uint32_t(pattern);
}

}  // namespace

uint32_t step(std::span<const uint32_t> a, std::span<const uint32_t> b, uint32_t c, Format inputs,
              Format result, int fraction_bits, int floor) {
  const uint32_t nan = result.exponent_bits == 5 ? 0x7fff : 0x7fffffff;
  const uint32_t infinity = result.exponent_bits == 5 ? 0x7c00 : 0x7f800000;
  const uint32_t minus = result.exponent_bits == 5 ? 0x8000 : 0x80000000u;
  Number addend = decode(c, result);
  bool plus_infinity = addend.kind == Kind::kInfinite && !addend.negative;
  bool minus_infinity = addend.kind == Kind::kInfinite && addend.negative;
  if (addend.kind == Kind::kNan) return nan;

  struct Term {
    bool negative;
    int64_t significand;
    int fraction, exponent;
  };
  Term terms[33];
  size_t count = 0;
  if (addend.kind == Kind::kFinite) {
    terms[count++] =
        Term{addend.negative, addend.significand, result.fraction_bits, addend.exponent};
  }
  for (size_t k = 0; k < a.size(); ++k) {
    Number x = decode(a[k], inputs), y = decode(b[k], inputs);
    bool negative = x.negative != y.negative;
    if (x.kind == Kind::kNan || y.kind == Kind::kNan) return nan;
    if (x.kind == Kind::kInfinite || y.kind == Kind::kInfinite) {
      bool zero = (x.kind == Kind::kFinite && x.significand == 0) ||
                  (y.kind == Kind::kFinite && y.significand == 0);
      if (zero) return nan;
      (negative ? minus_infinity : plus_infinity) = true;
      continue;
    }
    terms[count++] = Term{negative, x.significand * y.significand, 2 * inputs.fraction_bits,
                          x.exponent + y.exponent};
  }
  if (plus_infinity && minus_infinity) return nan;
  if (plus_infinity || minus_infinity) return infinity | (minus_infinity ? minus : 0);

  int top = floor;
  for (const Term& t : std::span(terms, count)) {
    if (t.significand != 0) top = std::max(top, t.exponent);
  }
  int64_t sum = 0;
  for (const Term& t : std::span(terms, count)) {
    if (t.significand == 0) continue;
    int64_t term = aligned(t.significand, t.fraction, t.exponent, top, fraction_bits);
    sum += t.negative ? -term : term;
  }
  return encode(sum, top - fraction_bits, result);
}

uint32_t convert(uint32_t pattern, Format from, Format to) {
  const uint32_t sign = 1u << (to.exponent_bits + to.fraction_bits);
  const uint32_t infinity = ((1u << to.exponent_bits) - 1) << to.fraction_bits;
  Number n = decode(pattern, from);
  if (n.kind == Kind::kNan) return sign - 1;
  uint32_t magnitude = n.kind == Kind::kInfinite
                           ? infinity
                           : encode(n.significand, n.exponent - from.fraction_bits, to);
  return magnitude | (n.negative ? sign : 0);
}

uint32_t dot(std::span<const uint32_t> a, std::span<const uint32_t> b, uint32_t c, Format inputs,
             Format result, int chunk, int fraction_bits, int floor) {
  for (size_t k = 0; k < a.size(); k += size_t(chunk)) {
    c = step(a.subspan(k, size_t(chunk)), b.subspan(k, size_t(chunk)), c, inputs, result,
             fraction_bits, floor);
  }
  return c;
}

}  // namespace tcd::emu::reference
