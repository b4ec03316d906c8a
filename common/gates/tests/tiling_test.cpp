#include "gates/tiling.h"

#include <doctest/doctest.h>

#include <set>
#include <stdexcept>
#include <tuple>

using namespace tcd;

TEST_CASE("every element of a CTA tile has an owner of its own") {
  const Tiling tiling{64, 64, 2, 2, true, true};
  std::set<std::tuple<int, int, int, int, int>> owners;
  for (int r = 64; r < 128; ++r) {
    for (int c = 128; c < 192; ++c) {
      const ElementOwner owner = owner_of_output(tiling, r, c);
      CHECK(owner.block_x == 2);
      CHECK(owner.block_y == 1);
      CHECK(owner.warp < 4);
      CHECK(owner.tile_row < 2);
      CHECK(owner.tile_col < 4);
      owners.insert({owner.warp, owner.lane, owner.tile_row, owner.tile_col, owner.reg});
    }
  }
  CHECK(owners.size() == 64 * 64);
}

TEST_CASE("a known element, both warp orders and both grid orders") {
  Tiling tiling{128, 128, 2, 4};
  // Row 76 is row 12 of warp row 1; column 37 is column 5 of warp column 1.
  CHECK(describe(owner_of_output(tiling, 76, 37)) ==
        "CTA (0, 0), warp 5, lane 18, register c3 of its m16n8 tile (0, 0)");
  tiling.warp_along_n_first = false;
  CHECK(owner_of_output(tiling, 76, 37).warp == 3);
  tiling.block_x_along_n = false;
  CHECK(owner_of_output(tiling, 300, 37).block_x == 2);
}

TEST_CASE("a tiling that cannot be is refused") {
  CHECK_NOTHROW(check_tiling({64, 64, 2, 2}));
  CHECK_THROWS_AS(check_tiling({64, 64, 3, 2}), std::invalid_argument);
  CHECK_THROWS_AS(check_tiling({64, 64, 0, 2}), std::invalid_argument);
  CHECK_THROWS_AS(check_tiling({64, 20, 1, 1}), std::invalid_argument);
}
