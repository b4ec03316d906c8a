// Matrices for the tests, and their way into fragments by the PTX ISA's own formulae.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "tensor/fragment.h"
#include "tensor/row.h"

namespace tcd::emu::tiles {

using Rng = std::mt19937_64;

// Words of 32 / bits consecutive k, for formats that are not 16 bits wide: register r of A holds
// word in_group + 4 * (r / 2) of row group + 8 * (r % 2), register r of B word in_group + 4 * r of
// column group.
inline uint32_t word_of(const std::vector<uint32_t>& matrix, int bits, int first, int step) {
  uint32_t word = 0;
  for (int i = 0; i < 32 / bits; ++i) word |= matrix[size_t(first + i * step)] << bits * i;
  return word;
}

// A 16 x k, B k x 8, C 16 x 8, row-major, one bit pattern an element.
struct Tile {
  int k = 0;
  bool half_accumulator = false;
  std::vector<uint32_t> a, b, c;
};

struct Fragments {
  Row a[4], b[2], c[4];
};

inline void put_half(Row& row, int lane, int half, uint32_t value) {
  uint32_t& word = row.lane[lane];
  word = half ? (word & 0xffff) | value << 16 : (word & 0xffff0000u) | value;
}

inline Fragments fragments_of(const Tile& tile) {
  Fragments f{};
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int e = 0; e < tile.k / 2; ++e) {
      Cell at = a_cell(lane, e);
      put_half(f.a[e / 2], lane, e % 2, tile.a[size_t(at.row * tile.k + at.col)]);
    }
    for (int e = 0; e < tile.k / 4; ++e) {
      Cell at = b_cell(lane, e);
      put_half(f.b[e / 2], lane, e % 2, tile.b[size_t(at.row * 8 + at.col)]);
    }
    for (int e = 0; e < 4; ++e) {
      Cell at = c_cell(lane, e);
      uint32_t value = tile.c[size_t(at.row * 8 + at.col)];
      if (tile.half_accumulator) {
        put_half(f.c[e / 2], lane, e % 2, value);
      } else {
        f.c[e].lane[lane] = value;
      }
    }
  }
  return f;
}

// The same for elements of `bits` bits; m: 16, or 8 (integers: A one register, C two).
inline Fragments fragments_of_words(const Tile& tile, int bits, int m = 16) {
  Fragments f{};
  const int per_word = 32 / bits, words = tile.k / per_word;
  for (int lane = 0; lane < kLanes; ++lane) {
    const int g = group_of(lane), t = in_group(lane);
    for (int w = t; w < words; w += 4) {
      const int block = w / 4;
      for (int rows = 0; rows < m / 8; ++rows) {
        f.a[block * (m / 8) + rows].lane[lane] =
            word_of(tile.a, bits, (g + 8 * rows) * tile.k + w * per_word, 1);
      }
      f.b[block].lane[lane] = word_of(tile.b, bits, w * per_word * 8 + g, 8);
    }
    for (int e = 0; e < m / 4; ++e) {
      Cell at = c_cell(lane, e);
      uint32_t value = tile.c[size_t(at.row * 8 + at.col)];
      if (tile.half_accumulator)
        put_half(f.c[e / 2], lane, e % 2, value);
      else
        f.c[e].lane[lane] = value;
    }
  }
  return f;
}

// The accumulator registers back as a 16 x 8 matrix.
inline std::vector<uint32_t> matrix_of(const Row* d, bool half_accumulator) {
  std::vector<uint32_t> out(128);
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int e = 0; e < 4; ++e) {
      Cell at = c_cell(lane, e);
      uint32_t word =
          half_accumulator ? d[e / 2].lane[lane] >> 16 * (e % 2) & 0xffff : d[e].lane[lane];
      out[size_t(at.row * 8 + at.col)] = word;
    }
  }
  return out;
}

// What random elements look like. Each is drawn for whole tiles.
enum class Kind {
  kNarrow,      // exponents around 1
  kWide,        // the format's whole finite range
  kSubnormal,   // subnormal and smallest normal numbers
  kZeros,       // mostly zeros of both signs
  kSpecial,     // a few infinities and NaN
  kCancelling,  // few significant bits: sums cancel
  kExact,       // multiples of 0.25 in [-2, 2]
  kMixed,       // each element from any of the above
};
inline constexpr Kind kAllKinds[] = {Kind::kNarrow, Kind::kWide,    Kind::kSubnormal,
                                     Kind::kZeros,  Kind::kSpecial, Kind::kCancelling,
                                     Kind::kExact,  Kind::kMixed};

inline uint32_t random_number(Rng& rng, Kind kind, int exponent_bits, int fraction_bits) {
  const uint32_t all_ones = (1u << exponent_bits) - 1, bias = all_ones >> 1;
  const uint32_t fraction_mask = (1u << fraction_bits) - 1;
  const uint32_t sign = uint32_t(rng() & 1) << (exponent_bits + fraction_bits);
  const uint32_t fraction = uint32_t(rng()) & fraction_mask;
  auto below = [&](uint32_t n) { return uint32_t(rng() % n); };
  auto number = [&](uint32_t field) { return sign | field << fraction_bits | fraction; };
  switch (kind) {
    case Kind::kNarrow:
      return number(bias - 3 + below(7));
    case Kind::kWide:
      return number(below(all_ones));
    case Kind::kSubnormal:
      return number(below(2)) & ~(below(2) ? fraction_mask >> 1 : 0u);
    case Kind::kZeros:
      return below(8) ? sign : number(bias);
    case Kind::kSpecial:
      if (below(40) == 0) return sign | all_ones << fraction_bits | (below(2) ? fraction : 0);
      if (below(8) == 0) return sign;
      return number(bias - 3 + below(7));
    case Kind::kCancelling:
      return sign | (bias - 1 + below(3)) << fraction_bits | (fraction & ~(fraction_mask >> 2));
    case Kind::kExact: {
      uint32_t n = below(9);  // n quarters: 1 = 0.25, ... 8 = 2
      if (n == 0) return sign;
      uint32_t top = 31u - uint32_t(__builtin_clz(n));
      uint32_t rest = ((n ^ 1u << top) << 8 >> top) << uint32_t(fraction_bits) >> 8;  // E5M2 cuts
      return sign | (bias + top - 2) << fraction_bits | rest;
    }
    case Kind::kMixed:
      return random_number(rng, kAllKinds[below(7)], exponent_bits, fraction_bits);
  }
  return 0;
}

inline Tile random_f16_tile(Rng& rng, int k, bool half_accumulator, Kind kind_a, Kind kind_b,
                            Kind kind_c) {
  Tile tile;
  tile.k = k;
  tile.half_accumulator = half_accumulator;
  for (int i = 0; i < 16 * k; ++i) tile.a.push_back(random_number(rng, kind_a, 5, 10));
  for (int i = 0; i < 8 * k; ++i) tile.b.push_back(random_number(rng, kind_b, 5, 10));
  for (int i = 0; i < 128; ++i) {
    tile.c.push_back(half_accumulator ? random_number(rng, kind_c, 5, 10)
                                      : random_number(rng, kind_c, 8, 23));
  }
  return tile;
}

}  // namespace tcd::emu::tiles
