// wmma: the recorded layout, and the product of whole matrices through it.
#include "tensor/wmma.h"

#include <doctest/doctest.h>

#include <cstring>
#include <map>
#include <set>
#include <vector>

#include "tensor/tests/reference_dot.h"
#include "tensor/tests/tiles.h"

using namespace tcd::emu;
using tiles::Kind;

namespace {

constexpr WmmaShape kShapes[] = {WmmaShape::kM16N16K16, WmmaShape::kM32N8K16, WmmaShape::kM8N32K16};
constexpr WmmaOperand kOperands[] = {WmmaOperand::kA, WmmaOperand::kB, WmmaOperand::kAccumulator};

int elements_of(WmmaOperand operand) { return operand == WmmaOperand::kAccumulator ? 8 : 16; }

// Fills registers from a row-major matrix as wmma.load does.
void load(WmmaShape shape, WmmaOperand operand, bool half, const std::vector<uint32_t>& matrix,
          Row* rows) {
  WmmaExtent extent = wmma_extent(shape, operand);
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int e = 0; e < elements_of(operand); ++e) {
      uint32_t value = matrix[size_t(wmma_offset(shape, operand, true, extent.cols, lane, e))];
      if (half)
        tiles::put_half(rows[e / 2], lane, e % 2, value);
      else
        rows[e].lane[lane] = value;
    }
  }
}

std::vector<uint32_t> stored(WmmaShape shape, bool half, const Row* rows) {
  WmmaExtent extent = wmma_extent(shape, WmmaOperand::kAccumulator);
  std::vector<uint32_t> out(size_t(extent.rows * extent.cols), 0xdeadbeef);
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int e = 0; e < 8; ++e) {
      Cell at = wmma_cell(shape, WmmaOperand::kAccumulator, lane, e);
      out[size_t(at.row * extent.cols + at.col)] =
          half ? rows[e / 2].lane[lane] >> 16 * (e % 2) & 0xffff : rows[e].lane[lane];
    }
  }
  return out;
}

}  // namespace

TEST_CASE("lane 5 as recorded on the H200") {
  using S = WmmaShape;
  using O = WmmaOperand;
  auto is = [](S shape, O operand, std::vector<std::pair<int, int>> cells) {
    int e = 0;
    for (auto [row, col] : cells) {
      CHECK(wmma_cell(shape, operand, 5, e) == Cell{row, col});
      ++e;
    }
    CHECK(e == elements_of(operand));
  };
  is(S::kM16N16K16, O::kA,
     {{1, 2},
      {1, 3},
      {9, 2},
      {9, 3},
      {1, 10},
      {1, 11},
      {9, 10},
      {9, 11},
      {1, 2},
      {1, 3},
      {9, 2},
      {9, 3},
      {1, 10},
      {1, 11},
      {9, 10},
      {9, 11}});
  is(S::kM16N16K16, O::kB,
     {{2, 1},
      {3, 1},
      {10, 1},
      {11, 1},
      {2, 9},
      {3, 9},
      {10, 9},
      {11, 9},
      {2, 1},
      {3, 1},
      {10, 1},
      {11, 1},
      {2, 9},
      {3, 9},
      {10, 9},
      {11, 9}});
  is(S::kM16N16K16, O::kAccumulator,
     {{1, 2}, {1, 3}, {9, 2}, {9, 3}, {1, 10}, {1, 11}, {9, 10}, {9, 11}});
  is(S::kM32N8K16, O::kA,
     {{1, 2},
      {1, 3},
      {9, 2},
      {9, 3},
      {1, 10},
      {1, 11},
      {9, 10},
      {9, 11},
      {17, 2},
      {17, 3},
      {25, 2},
      {25, 3},
      {17, 10},
      {17, 11},
      {25, 10},
      {25, 11}});
  is(S::kM32N8K16, O::kB,
     {{2, 1},
      {3, 1},
      {10, 1},
      {11, 1},
      {2, 1},
      {3, 1},
      {10, 1},
      {11, 1},
      {2, 1},
      {3, 1},
      {10, 1},
      {11, 1},
      {2, 1},
      {3, 1},
      {10, 1},
      {11, 1}});
  is(S::kM32N8K16, O::kAccumulator,
     {{1, 2}, {1, 3}, {9, 2}, {9, 3}, {17, 2}, {17, 3}, {25, 2}, {25, 3}});
  is(S::kM8N32K16, O::kA,
     {{1, 2},
      {1, 3},
      {1, 10},
      {1, 11},
      {1, 2},
      {1, 3},
      {1, 10},
      {1, 11},
      {1, 2},
      {1, 3},
      {1, 10},
      {1, 11},
      {1, 2},
      {1, 3},
      {1, 10},
      {1, 11}});
  is(S::kM8N32K16, O::kB,
     {{2, 1},
      {3, 1},
      {2, 9},
      {3, 9},
      {10, 1},
      {11, 1},
      {10, 9},
      {11, 9},
      {2, 17},
      {3, 17},
      {2, 25},
      {3, 25},
      {10, 17},
      {11, 17},
      {10, 25},
      {11, 25}});
  is(S::kM8N32K16, O::kAccumulator,
     {{2, 1}, {3, 1}, {2, 9}, {3, 9}, {2, 17}, {3, 17}, {2, 25}, {3, 25}});
}

TEST_CASE("fragments cover their matrix, accumulators exactly once") {
  for (WmmaShape shape : kShapes) {
    for (WmmaOperand operand : kOperands) {
      WmmaExtent extent = wmma_extent(shape, operand);
      std::map<std::pair<int, int>, int> owners;
      for (int lane = 0; lane < kLanes; ++lane) {
        for (int e = 0; e < elements_of(operand); ++e) {
          Cell at = wmma_cell(shape, operand, lane, e);
          REQUIRE(at.row >= 0);
          REQUIRE(at.row < extent.rows);
          REQUIRE(at.col >= 0);
          REQUIRE(at.col < extent.cols);
          ++owners[{at.row, at.col}];
        }
      }
      CHECK(owners.size() == size_t(extent.rows * extent.cols));
      int copies = kLanes * elements_of(operand) / (extent.rows * extent.cols);
      for (auto& [cell, count] : owners) REQUIRE(count == copies);
    }
  }
}

TEST_CASE("fragments of the other types cover their matrix exactly once") {
  struct Form {
    WmmaShape shape;
    WmmaElement type;
    int bits;
  };
  using S = WmmaShape;
  using E = WmmaElement;
  for (const Form& f : {Form{S::kM16N16K16, E::kBfloat, 16}, Form{S::kM32N8K16, E::kBfloat, 16},
                        Form{S::kM8N32K16, E::kBfloat, 16}, Form{S::kM16N16K16, E::kByte, 8},
                        Form{S::kM32N8K16, E::kByte, 8}, Form{S::kM8N32K16, E::kByte, 8},
                        Form{S::kM16N16K8, E::kTf32, 32}, Form{S::kM8N8K32, E::kNibble, 4},
                        Form{S::kM8N8K4, E::kDouble, 64}}) {
    for (WmmaOperand operand : kOperands) {
      const bool is_c = operand == WmmaOperand::kAccumulator;
      const int bits = !is_c ? f.bits : f.bits == 64 ? 64 : 32;
      const int elements =
          wmma_registers(f.shape, operand, f.type, bits) * (bits < 32 ? 32 / bits : 1);
      const WmmaExtent extent = wmma_extent(f.shape, operand);
      std::set<std::pair<int, int>> seen;
      for (int lane = 0; lane < kLanes; ++lane) {
        for (int e = 0; e < elements; ++e) {
          const Cell at = wmma_cell(f.shape, operand, lane, e, f.type);
          REQUIRE((at.row >= 0 && at.row < extent.rows && at.col >= 0 && at.col < extent.cols));
          CHECK(seen.insert({at.row, at.col}).second);
        }
      }
      CHECK(seen.size() == size_t(extent.rows * extent.cols));
    }
  }
}

TEST_CASE("whole products, all shapes and accumulator types, against the integer model") {
  tiles::Rng rng(31);
  const TensorNumerics chips[] = {{8, 24, ""}, {16, 25, ""}};
  int control = 0;
  for (WmmaShape shape : kShapes) {
    const int m = wmma_extent(shape, WmmaOperand::kA).rows;
    const int n = wmma_extent(shape, WmmaOperand::kB).cols;
    for (int types = 0; types < 4; ++types) {
      const bool half_c = types & 1, half_d = types & 2;
      for (int round = 0; round < 10; ++round) {
        const TensorNumerics& chip = chips[round & 1];
        Kind kind = round < 2 ? Kind::kSpecial : round < 4 ? Kind::kExact : Kind::kNarrow;
        auto matrix = [&](int size, bool half) {
          std::vector<uint32_t> out;
          for (int i = 0; i < size; ++i) {
            out.push_back(tiles::random_number(rng, kind, half ? 5 : 8, half ? 10 : 23));
          }
          return out;
        };
        std::vector<uint32_t> a = matrix(m * 16, true), b = matrix(16 * n, true),
                              c = matrix(m * n, half_c);
        Row fa[8], fb[8], fc[8], fd[8];
        load(shape, WmmaOperand::kA, true, a, fa);
        load(shape, WmmaOperand::kB, true, b, fb);
        load(shape, WmmaOperand::kAccumulator, half_c, c, fc);
        wmma_mma(chip, shape, half_d, half_c, fa, fb, fc, fd);
        std::vector<uint32_t> got = stored(shape, half_d, fd);
        // The model: mixed types go through f32, the accumulator converted outside.
        const bool half_inside = half_c && half_d;
        std::vector<uint32_t> column(16);
        for (int j = 0; j < n; ++j) {
          for (int k = 0; k < 16; ++k) column[size_t(k)] = b[size_t(k * n + j)];
          for (int i = 0; i < m; ++i) {
            uint32_t addend = c[size_t(i * n + j)];
            if (half_c && !half_d) {
              addend = reference::convert(addend, reference::kF16, reference::kF32);
            }
            uint32_t expected =
                reference::dot({a.data() + i * 16, 16}, column, addend, reference::kF16,
                               half_inside ? reference::kF16 : reference::kF32, chip.chunk_k16,
                               chip.fraction_bits);
            uint32_t result = got[size_t(i * n + j)];
            if (half_d && !half_inside) {
              expected = reference::convert(expected, reference::kF32, reference::kF16);
            }
            REQUIRE(result == expected);
            control += result != addend;
          }
        }
      }
    }
  }
  CHECK(control > 10000);  // the product did change the accumulator
}
