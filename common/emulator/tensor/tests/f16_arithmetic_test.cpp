// The general path against the integer model, on every instruction set this CPU has.
#include <doctest/doctest.h>

#include <cstring>
#include <iomanip>
#include <string>
#include <vector>

#include "tensor/mma.h"
#include "tensor/mma_kernels.h"
#include "tensor/tests/reference_dot.h"
#include "tensor/tests/tiles.h"

namespace {

using namespace tcd::emu;
using tiles::Kind;

struct Step {
  int k, chunk, fraction_bits;
  bool half_accumulator;
  int floor = reference::kNoFloor;  // E is at least this
};

std::vector<uint32_t> model(const tiles::Tile& tile, const Step& step) {
  std::vector<uint32_t> d(128);
  std::vector<uint32_t> column(size_t(tile.k));
  for (int n = 0; n < 8; ++n) {
    for (int k = 0; k < tile.k; ++k) column[size_t(k)] = tile.b[size_t(k * 8 + n)];
    for (int m = 0; m < 16; ++m) {
      std::span<const uint32_t> row(tile.a.data() + m * tile.k, size_t(tile.k));
      d[size_t(m * 8 + n)] =
          reference::dot(row, column, tile.c[size_t(m * 8 + n)], reference::kF16,
                         step.half_accumulator ? reference::kF16 : reference::kF32, step.chunk,
                         step.fraction_bits, step.floor);
    }
  }
  return d;
}

std::vector<uint32_t> general(const MmaKernels& kernels, const tiles::Tile& tile,
                              const Step& step) {
  tiles::Fragments f = tiles::fragments_of(tile);
  PreparedA a;
  PreparedB b;
  kernels.prepare_a(f.a, step.k / 4, a);
  kernels.prepare_b(f.b, step.k / 8, b);
  auto multiply =
      step.half_accumulator ? kernels.multiply_general_f16 : kernels.multiply_general_f32;
  multiply(step.chunk, {step.fraction_bits, step.floor}, a, b, f.c, f.c);  // in place: d aliases c
  return tiles::matrix_of(f.c, step.half_accumulator);
}

int differences(const std::vector<uint32_t>& x, const std::vector<uint32_t>& y) {
  int count = 0;
  for (size_t i = 0; i < x.size(); ++i) count += x[i] != y[i];
  return count;
}

std::vector<const MmaKernels*> variants() {
  std::vector<const MmaKernels*> all;
  for (const char* isa : {"sse2", "avx2", "avx512"}) {
    if (const MmaKernels* kernels = mma_kernels(isa)) all.push_back(kernels);
  }
  return all;
}

constexpr Step kSteps[] = {
    {8, 8, 24, false},     {16, 8, 24, false},      {8, 8, 25, false}, {16, 16, 25, false},
    {8, 8, 24, true},      {16, 8, 24, true},       {8, 8, 25, true},  {16, 16, 25, true},
    {8, 8, 25, true, -21}, {16, 16, 25, true, -21},
};

}  // namespace

TEST_CASE("the general path equals the integer model") {
  tiles::Rng rng(7);
  for (const Step& step : kSteps) {
    int tiles_seen = 0, special = 0;
    for (Kind kind_a : tiles::kAllKinds) {
      for (Kind kind_b : tiles::kAllKinds) {
        for (Kind kind_c : tiles::kAllKinds) {
          tiles::Tile tile =
              tiles::random_f16_tile(rng, step.k, step.half_accumulator, kind_a, kind_b, kind_c);
          std::vector<uint32_t> expected = model(tile, step);
          for (const MmaKernels* kernels : variants()) {
            std::vector<uint32_t> got = general(*kernels, tile, step);
            int wrong = differences(got, expected);
            if (wrong) {
              INFO(kernels->isa << " k=" << step.k << " chunk=" << step.chunk
                                << " F=" << step.fraction_bits
                                << " f16 accumulator: " << step.half_accumulator << " kinds "
                                << int(kind_a) << ' ' << int(kind_b) << ' ' << int(kind_c));
              for (size_t i = 0; i < 128; ++i) {
                if (got[i] != expected[i]) {
                  INFO("element " << i << " got " << std::hex << got[i] << " expected "
                                  << expected[i]);
                  REQUIRE(got[i] == expected[i]);
                }
              }
            }
          }
          ++tiles_seen;
          for (uint32_t x : expected)
            special += x == (step.half_accumulator ? 0x7fffu : 0x7fffffffu);
        }
      }
    }
    CHECK(tiles_seen == 512);  // 65,536 elements a configuration
    CHECK(special > 1000);     // NaN did come up
  }
}

TEST_CASE("control: F off by one, or 16 products as two chunks of 8, gives other bits") {
  tiles::Rng rng(11);
  int f_plus = 0, f_minus = 0, split = 0, between = 0;
  for (int i = 0; i < 50; ++i) {
    tiles::Tile tile =
        tiles::random_f16_tile(rng, 16, false, Kind::kWide, Kind::kWide, Kind::kNarrow);
    for (const MmaKernels* kernels : variants()) {
      f_plus +=
          differences(general(*kernels, tile, {16, 8, 25, false}), model(tile, {16, 8, 24, false}));
      f_minus += differences(general(*kernels, tile, {16, 16, 24, false}),
                             model(tile, {16, 16, 25, false}));
      split += differences(general(*kernels, tile, {16, 8, 25, false}),
                           model(tile, {16, 16, 25, false}));
    }
    tiles::Tile half =
        tiles::random_f16_tile(rng, 16, true, Kind::kNarrow, Kind::kNarrow, Kind::kNarrow);
    between += differences(model(half, {16, 8, 24, true}), model(half, {16, 16, 24, true}));
  }
  CHECK(f_plus > 100);
  CHECK(f_minus > 100);
  CHECK(split > 100);
  CHECK(between > 100);  // FP16 accumulators are rounded between chunks
}

TEST_CASE("known results, worked out by hand") {
  auto f16_dot = [](std::vector<uint32_t> a, std::vector<uint32_t> b, uint32_t c, int chunk,
                    int f) {
    Step step{int(a.size()), chunk, f, false};
    tiles::Tile tile = {step.k, false, {}, {}, std::vector<uint32_t>(128, c)};
    for (int m = 0; m < 16; ++m) tile.a.insert(tile.a.end(), a.begin(), a.end());
    for (uint32_t x : b) tile.b.insert(tile.b.end(), 8, x);
    std::vector<uint32_t> d;
    for (const MmaKernels* kernels : variants()) {
      d = general(*kernels, tile, step);
      for (uint32_t x : d) CHECK(x == d[0]);
    }
    CHECK(d == model(tile, step));
    return d[0];
  };
  const uint32_t one = 0x3c00, minus = 0xbc00, tiny = 0x0001, inf = 0x7c00, nan = 0x7e01;
  using V = std::vector<uint32_t>;
  // 1 + 2^-24 is lost by truncation: also eight times 2^-25 against 1 (chunk of 8, F = 24).
  CHECK(f16_dot(V{tiny, 0, 0, 0, 0, 0, 0, 0}, V{one, 0, 0, 0, 0, 0, 0, 0}, 0x3f800000, 8, 24) ==
        0x3f800000);
  // Truncation is of the magnitude: -1 - 2^-24 stays -1.
  CHECK(f16_dot(V{tiny, 0, 0, 0, 0, 0, 0, 0}, V{minus, 0, 0, 0, 0, 0, 0, 0}, 0xbf800000u, 8, 24) ==
        0xbf800000u);
  // 1 - 2^-24: the subtraction is exact in F = 24 and normalises to 0.99999994.
  CHECK(f16_dot(V{tiny, 0, 0, 0, 0, 0, 0, 0}, V{minus, 0, 0, 0, 0, 0, 0, 0}, 0x3f800000, 8, 24) ==
        0x3f7fffff);
  // Cancellation and zeros of either sign give +0.
  CHECK(f16_dot(V{one, one, 0, 0, 0, 0, 0, 0}, V{one, minus, 0, 0, 0, 0, 0, 0}, 0, 8, 24) == 0);
  CHECK(f16_dot(V(8, 0x8000), V(8, one), 0x80000000u, 8, 24) == 0);
  // c alone passes unchanged, subnormal or not.
  CHECK(f16_dot(V(8, 0), V(8, one), 0x00000001, 8, 24) == 1);
  CHECK(f16_dot(V(8, 0), V(8, one), 0x807fffffu, 8, 24) == 0x807fffffu);
  CHECK(f16_dot(V{inf, 0, 0, 0, 0, 0, 0, 0}, V{minus, 0, 0, 0, 0, 0, 0, 0}, 0, 8, 24) ==
        0xff800000u);
  CHECK(f16_dot(V{inf, 0, 0, 0, 0, 0, 0, 0}, V(8, 0), 0, 8, 24) == 0x7fffffff);
  CHECK(f16_dot(V{nan, 0, 0, 0, 0, 0, 0, 0}, V(8, one), 0, 8, 24) == 0x7fffffff);
}

TEST_CASE("the largest sums: 16 products just below 4 and C need 33 bits at F = 25") {
  for (uint32_t sign : {0u, 0x8000u}) {
    for (uint32_t c : {0x3fffffffu, 0xbfffffffu, 0u}) {
      tiles::Tile tile = {16, false, std::vector<uint32_t>(256, 0x3fff | sign),
                          std::vector<uint32_t>(128, 0x3fff), std::vector<uint32_t>(128, c)};
      for (const MmaKernels* kernels : variants()) {
        for (Step step : {Step{16, 16, 25, false}, Step{16, 8, 25, false}}) {
          CHECK(general(*kernels, tile, step) == model(tile, step));
        }
      }
    }
  }
}

TEST_CASE("a changed register is seen, whichever lane changed") {
  // mma.h recognises fragments it decoded before; nobody tells it of writes.
  tiles::Rng rng(5);
  const TensorNumerics chip{8, 24, ""};
  tiles::Tile tile =
      tiles::random_f16_tile(rng, 16, false, Kind::kNarrow, Kind::kNarrow, Kind::kNarrow);
  for (size_t i = 0; i < tile.a.size() + tile.b.size(); ++i) {
    uint32_t& element = i < tile.a.size() ? tile.a[i] : tile.b[i - tile.a.size()];
    element ^= 0x0200;
    tiles::Fragments f = tiles::fragments_of(tile);
    Row d[4];
    mma_m16n8k16_f32_f16(chip, f.a, f.b, f.c, d);
    REQUIRE(tiles::matrix_of(d, false) == model(tile, {16, 8, 24, false}));
  }
}

TEST_CASE("mma.h picks chunk and F from the profile's numerics") {
  tiles::Rng rng(3);
  const TensorNumerics ampere{8, 24, ""}, hopper{16, 25, "", 7};
  int apart = 0;
  for (int i = 0; i < 20; ++i) {
    for (int k : {8, 16}) {
      for (bool half : {false, true}) {
        tiles::Tile tile =
            tiles::random_f16_tile(rng, k, half, Kind::kNarrow, Kind::kWide, Kind::kNarrow);
        tiles::Fragments f = tiles::fragments_of(tile);
        std::vector<uint32_t> results[2];
        for (int chip = 0; chip < 2; ++chip) {
          const TensorNumerics& numerics = chip ? hopper : ampere;
          Row d[4];
          if (k == 8)
            (half ? mma_m16n8k8_f16_f16 : mma_m16n8k8_f32_f16)(numerics, f.a, f.b, f.c, d);
          else
            (half ? mma_m16n8k16_f16_f16 : mma_m16n8k16_f32_f16)(numerics, f.a, f.b, f.c, d);
          results[chip] = tiles::matrix_of(d, half);
          int chunk = std::min(numerics.chunk_k16, k);
          CHECK(results[chip] == model(tile, {k, chunk, numerics.fraction_bits, half,
                                              (half ? kLeastNormalF16 : kLeastNormalF32) -
                                                  numerics.alignment_floor}));
        }
        apart += results[0] != results[1];
      }
    }
  }
  CHECK(apart > 20);  // the two chips do differ on such data
}
