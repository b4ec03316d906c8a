// Integer mma: exact sums, signs by operand, saturation.
#include <doctest/doctest.h>

#include <algorithm>

#include "tensor/mma.h"
#include "tensor/tests/tiles.h"

using namespace tcd::emu;

namespace {

tiles::Tile random_tile(tiles::Rng& rng, const IntegerMma& shape, int style) {
  tiles::Tile tile;
  tile.k = shape.k;
  const uint32_t mask = (1u << shape.bits) - 1;
  auto element = [&] {
    if (style == 0) return uint32_t(rng()) & mask;
    return rng() & 1 ? mask >> 1 : (style == 1 ? mask ^ (mask >> 1) : mask);  // the extremes
  };
  for (int i = 0; i < shape.m * shape.k; ++i) tile.a.push_back(element());
  for (int i = 0; i < 8 * shape.k; ++i) tile.b.push_back(element());
  for (int i = 0; i < shape.m * 8; ++i) {
    uint32_t near = uint32_t(rng() % 4096);
    tile.c.push_back(style == 0  ? uint32_t(rng())
                     : rng() & 1 ? 0x7fffffff - near
                                 : 0x80000000 + near);
  }
  tile.c.resize(128);
  return tile;
}

int64_t value_of(uint32_t element, int bits, bool is_signed) {
  int64_t value = element;
  return is_signed && element >> (bits - 1) & 1 ? value - (int64_t{1} << bits) : value;
}

}  // namespace

TEST_CASE("every shape, sign and saturation against 64-bit sums") {
  tiles::Rng rng(51);
  int wrapped = 0, clamped = 0, sign_matters = 0;
  for (int bits : {8, 4}) {
    for (auto [m, words] : {std::pair{8, 4}, {16, 4}, {16, 8}}) {
      for (int variant = 0; variant < 8; ++variant) {
        IntegerMma shape{
            m, words * (32 / bits), bits, bool(variant & 1), bool(variant & 2), bool(variant & 4)};
        for (int round = 0; round < 30; ++round) {
          tiles::Tile tile = random_tile(rng, shape, round % 3);
          tiles::Fragments f = tiles::fragments_of_words(tile, bits, m);
          mma_s32(shape, f.a, f.b, f.c, f.c);
          for (int lane = 0; lane < kLanes; ++lane) {
            for (int e = 0; e < m / 4; ++e) {
              Cell at = c_cell(lane, e);
              int64_t sum = int32_t(tile.c[size_t(at.row * 8 + at.col)]), unsigned_sum = sum;
              for (int k = 0; k < shape.k; ++k) {
                uint32_t x = tile.a[size_t(at.row * shape.k + k)],
                         y = tile.b[size_t(k * 8 + at.col)];
                sum += value_of(x, bits, shape.a_signed) * value_of(y, bits, shape.b_signed);
                unsigned_sum += int64_t{x} * y;
              }
              bool fits = sum == int32_t(sum);
              int64_t expected =
                  shape.saturate ? std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX) : sum;
              REQUIRE(f.c[e].lane[lane] == uint32_t(expected));
              (shape.saturate ? clamped : wrapped) += !fits;
              sign_matters += sum != unsigned_sum;
            }
          }
        }
      }
    }
  }
  CHECK(wrapped > 1000);  // the extremes did overflow, both ways of handling it
  CHECK(clamped > 1000);
  CHECK(sign_matters > 1000);
}
