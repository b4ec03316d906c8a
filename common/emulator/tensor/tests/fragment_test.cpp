// Fragment coordinates: spot values read off the PTX ISA's figures, and whole-tile coverage.
#include "tensor/fragment.h"

#include <doctest/doctest.h>

#include <set>
#include <vector>

#include "tensor/mma.h"
#include "tensor/mma_kernels.h"
#include "tensor/tests/tiles.h"

using namespace tcd::emu;

TEST_CASE("spot values from the figures") {
  CHECK(a_cell(0, 0) == Cell{0, 0});
  CHECK(a_cell(5, 1) == Cell{1, 3});
  CHECK(a_cell(5, 2) == Cell{9, 2});   // register 1: eight rows down
  CHECK(a_cell(5, 4) == Cell{1, 10});  // register 2: eight columns right
  CHECK(a_cell(31, 7) == Cell{15, 15});
  CHECK(b_cell(5, 0) == Cell{2, 1});
  CHECK(b_cell(5, 1) == Cell{3, 1});
  CHECK(b_cell(22, 1) == Cell{5, 5});
  CHECK(b_cell(31, 3) == Cell{15, 7});
  CHECK(c_cell(5, 0) == Cell{1, 2});
  CHECK(c_cell(19, 3) == Cell{12, 7});
}

TEST_CASE("every element of every matrix has exactly one owner") {
  auto covers = [](auto cell, int elements, int rows, int cols) {
    std::set<std::pair<int, int>> seen;
    for (int lane = 0; lane < kLanes; ++lane) {
      for (int e = 0; e < elements; ++e) {
        Cell at = cell(lane, e);
        if (at.row < 0 || at.row >= rows || at.col < 0 || at.col >= cols) return false;
        if (!seen.insert({at.row, at.col}).second) return false;
      }
    }
    return seen.size() == size_t(rows * cols);
  };
  CHECK(covers(a_cell, 4, 16, 8));
  CHECK(covers(a_cell, 8, 16, 16));
  CHECK(covers(b_cell, 2, 8, 8));
  CHECK(covers(b_cell, 4, 16, 8));
  CHECK(covers(c_cell, 4, 16, 8));
  CHECK_FALSE(covers(a_cell, 8, 16, 8));  // control
}

TEST_CASE("one-hot products land where the formulae say, on both paths") {
  for (int k : {8, 16}) {
    for (int m = 0; m < 16; ++m) {
      for (int n = 0; n < 8; ++n) {
        int kk = (m * 3 + n * 5) % k;
        tiles::Tile tile = {k, false, std::vector<uint32_t>(size_t(16 * k)),
                            std::vector<uint32_t>(size_t(8 * k)), std::vector<uint32_t>(128)};
        tile.a[size_t(m * k + kk)] = 0x4000;  // 2
        tile.b[size_t(kk * 8 + n)] = 0x4200;  // 3
        tiles::Fragments f = tiles::fragments_of(tile);
        PreparedA a;
        PreparedB b;
        mma_kernels().prepare_a(f.a, k / 4, a);
        mma_kernels().prepare_b(f.b, k / 8, b);
        Row d[4], e[4];
        REQUIRE(mma_kernels().multiply_proven_f32(8, a, b, f.c, d));
        mma_kernels().multiply_general_f32(8, 24, a, b, f.c, e);
        std::vector<uint32_t> expected(128);
        expected[size_t(m * 8 + n)] = 0x40c00000;  // 6.0f
        REQUIRE(tiles::matrix_of(d, false) == expected);
        REQUIRE(tiles::matrix_of(e, false) == expected);
      }
    }
  }
}
