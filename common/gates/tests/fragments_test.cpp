#include <doctest/doctest.h>

#include <set>
#include <utility>

#include "ptx/fragment_ldmatrix.h"
#include "ptx/fragment_owners.h"

using namespace tcd::fragment;

namespace {

// Does map(lane, i) hit every cell of rows x cols exactly once?
template <class Map>
bool covers(int elements, int rows, int cols, const Map& map) {
  std::set<std::pair<int, int>> seen;
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    for (int i = 0; i < elements; ++i) {
      const Coord at = map(lane, i);
      if (at.row < 0 || at.row >= rows || at.col < 0 || at.col >= cols) return false;
      if (!seen.insert({at.row, at.col}).second) return false;
    }
  }
  return static_cast<int>(seen.size()) == rows * cols;
}

template <class Map, class Inverse>
bool inverts(int elements, const Map& map, const Inverse& inverse) {
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    for (int i = 0; i < elements; ++i) {
      const Coord at = map(lane, i);
      const Owner owner = inverse(at.row, at.col);
      if (owner.lane != lane || owner.element != i) return false;
    }
  }
  return true;
}

}  // namespace

TEST_CASE("each fragment map covers its tile once") {
  CHECK(a_elements(8) == 4);
  CHECK(b_elements(8) == 2);
  CHECK(a_elements(16) == 8);
  CHECK(b_elements(16) == 4);
  CHECK(kAccumulators == 4);
  CHECK(covers(4, 16, 8, a_m16n8k8));
  CHECK(covers(2, 8, 8, b_m16n8k8));
  CHECK(covers(8, 16, 16, a_m16n8k16));
  CHECK(covers(4, 16, 8, b_m16n8k16));
  CHECK(covers(4, 16, 8, c_m16n8));
}

TEST_CASE("control: a map that repeats a cell is no cover") {
  CHECK_FALSE(covers(4, 16, 8, [](int lane, int i) { return a_m16n8k8(lane, i & 1); }));
  CHECK_FALSE(covers(8, 16, 8, a_m16n8k16));  // outside the tile
}

TEST_CASE("spot values from the PTX tables, and from the account's run for lanes 0 and 5") {
  CHECK(a_m16n8k8(5, 0) == Coord{1, 2});
  CHECK(a_m16n8k8(5, 1) == Coord{1, 3});
  CHECK(a_m16n8k8(5, 2) == Coord{9, 2});
  CHECK(a_m16n8k8(5, 3) == Coord{9, 3});
  CHECK(b_m16n8k8(5, 0) == Coord{2, 1});
  CHECK(b_m16n8k8(5, 1) == Coord{3, 1});
  CHECK(a_m16n8k8(0, 2) == Coord{8, 0});
  CHECK(b_m16n8k8(0, 1) == Coord{1, 0});
  CHECK(a_m16n8k16(31, 2) == Coord{15, 6});
  CHECK(a_m16n8k16(31, 4) == Coord{7, 14});
  CHECK(a_m16n8k16(31, 7) == Coord{15, 15});
  CHECK(b_m16n8k16(31, 3) == Coord{15, 7});
  CHECK(c_m16n8(17, 2) == Coord{12, 2});
}

TEST_CASE("owners invert the maps, and name register and half") {
  CHECK(inverts(4, a_m16n8k8, owner_of_a_m16n8k8));
  CHECK(inverts(2, b_m16n8k8, owner_of_b_m16n8k8));
  CHECK(inverts(8, a_m16n8k16, owner_of_a_m16n8k16));
  CHECK(inverts(4, b_m16n8k16, owner_of_b_m16n8k16));
  CHECK(inverts(4, c_m16n8, owner_of_c_m16n8));
  CHECK(inverts(4, c_m16n8, owner_of_c_m16n8_f16));
  // B[6][5]: column 5 is group 5, row 6 the pair 3: lane 23, b0, low half.
  const Owner b = owner_of_b_m16n8k8(6, 5);
  CHECK(b.lane == 23);
  CHECK(b.element == 0);
  CHECK(b.reg == 0);
  CHECK(b.half == 0);
  // D[12][7]: row 12 is group 4 of the lower half, column 7 the odd one of pair 3: lane 19, c3.
  const Owner d = owner_of_c_m16n8(12, 7);
  CHECK(d.lane == 19);
  CHECK(d.reg == 3);
  CHECK(owner_of_c_m16n8_f16(12, 7).reg == 1);
  CHECK(owner_of_c_m16n8_f16(12, 7).half == 1);
  CHECK(owner_of_a_m16n8k16(9, 10).reg == 3);
}

TEST_CASE("control: a map with a1 and a2 swapped covers the tile but is not inverted") {
  const auto swapped = [](int lane, int i) { return a_m16n8k8(lane, i == 1 ? 2 : i == 2 ? 1 : i); };
  CHECK(covers(4, 16, 8, swapped));  // so a cover alone proves nothing
  CHECK_FALSE(inverts(4, swapped, owner_of_a_m16n8k8));
}

TEST_CASE("ldmatrix row starts deliver exactly the mma fragments") {
  // Register r of lane comes from matrix r; its rows start where the eight lanes of matrix r point.
  const auto received = [](int num, int lane, int i, auto start, bool trans, bool row_is_k) {
    const int matrix = i / 2;
    const Coord inside = ldmatrix_element(lane, i % 2, trans);
    for (int provider = 0; provider < 8 * num; ++provider) {
      const LdmatrixRow row = ldmatrix_row(num, provider);
      if (row.matrix != matrix || row.row != inside.row) continue;
      const Coord at = start(provider);
      return row_is_k ? Coord{at.row, at.col + inside.col} : Coord{at.row + inside.col, at.col};
    }
    return Coord{-1, -1};
  };
  int right_without_trans = 0;
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 8; ++i) {
      CHECK(received(4, lane, i, ldmatrix_a_m16n8k16, false, true) == a_m16n8k16(lane, i));
    }
    for (int i = 0; i < 4; ++i) {
      CHECK(received(2, lane, i, ldmatrix_a_m16n8k8, false, true) == a_m16n8k8(lane, i));
      CHECK(received(2, lane, i, ldmatrix_b_trans_m16n8k16, true, true) == b_m16n8k16(lane, i));
      CHECK(received(2, lane, i, ldmatrix_b_m16n8k16, false, false) == b_m16n8k16(lane, i));
      if (received(2, lane, i, ldmatrix_b_trans_m16n8k16, false, true) == b_m16n8k16(lane, i)) {
        ++right_without_trans;
      }
    }
    for (int i = 0; i < 2; ++i) {
      CHECK(received(1, lane, i, ldmatrix_b_trans_m16n8k8, true, true) == b_m16n8k8(lane, i));
      CHECK(received(1, lane, i, ldmatrix_b_m16n8k8, false, false) == b_m16n8k8(lane, i));
    }
  }
  // control: without .trans a row-major B arrives transposed, right only on the two diagonals
  CHECK(right_without_trans == 16);
  CHECK(ldmatrix_row(2, 21).matrix == 0);  // sm_75 wants a valid address from every lane
}
