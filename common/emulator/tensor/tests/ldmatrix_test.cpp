// ldmatrix against the sentence of the PTX ISA, element by element.
#include "tensor/ldmatrix.h"

#include <doctest/doctest.h>

#include <cstring>
#include <vector>

#include "tensor/fragment.h"

using namespace tcd::emu;

namespace {

// Four 8 x 8 matrices whose rows lie scattered and unaligned: element value names its place.
struct Scattered {
  std::vector<std::byte> bytes = std::vector<std::byte>(32 * 40 + 1);
  const std::byte* rows[32];

  Scattered() {
    for (int i = 0; i < 32; ++i) {
      std::byte* row = bytes.data() + 1 + 40 * ((i * 7) % 32);
      for (int e = 0; e < 8; ++e) {
        uint16_t value = value_of(i / 8, i % 8, e);
        std::memcpy(row + 2 * e, &value, 2);
      }
      rows[i] = row;
    }
  }
  static uint16_t value_of(int matrix, int row, int element) {
    return uint16_t(matrix << 12 | row << 6 | element);
  }
};

}  // namespace

TEST_CASE("every lane holds the two elements that the PTX ISA gives it") {
  Scattered source;
  for (bool transposed : {false, true}) {
    for (int matrices : {1, 2, 4}) {
      Row out[5];
      std::memset(out, 0xee, sizeof out);
      ldmatrix(source.rows, matrices, transposed, out);
      for (int m = 0; m < matrices; ++m) {
        for (int lane = 0; lane < kLanes; ++lane) {
          int outer = lane / 4, inner = 2 * (lane % 4);
          uint32_t low = transposed ? Scattered::value_of(m, inner, outer)
                                    : Scattered::value_of(m, outer, inner);
          uint32_t high = transposed ? Scattered::value_of(m, inner + 1, outer)
                                     : Scattered::value_of(m, outer, inner + 1);
          REQUIRE(out[m].lane[lane] == (low | high << 16));
        }
      }
      for (uint32_t untouched : out[matrices].lane) REQUIRE(untouched == 0xeeeeeeeeu);
    }
  }
}

TEST_CASE("x4 loads exactly an A fragment; .trans loads B from row-major memory") {
  Scattered source;
  Row a[4];
  ldmatrix(source.rows, 4, false, a);
  // Matrices 0..3 as the quadrants (0,0) (8,0) (0,8) (8,8) of a 16 x 16 A.
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int e = 0; e < 8; ++e) {
      Cell at = a_cell(lane, e);
      int matrix = at.row / 8 + 2 * (at.col / 8);
      uint32_t got = a[e / 2].lane[lane] >> 16 * (e % 2) & 0xffff;
      REQUIRE(got == Scattered::value_of(matrix, at.row % 8, at.col % 8));
    }
  }
  Row b[2], plain[2];
  ldmatrix(source.rows, 2, true, b);
  ldmatrix(source.rows, 2, false, plain);
  int differ = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int e = 0; e < 4; ++e) {
      Cell at = b_cell(lane, e);  // k, n: memory rows are k
      uint32_t got = b[e / 2].lane[lane] >> 16 * (e % 2) & 0xffff;
      REQUIRE(got == Scattered::value_of(at.row / 8, at.row % 8, at.col));
    }
    differ += b[0].lane[lane] != plain[0].lane[lane];
  }
  CHECK(differ ==
        32);  // control: without .trans no lane has its elements (pairs differ throughout)
}
