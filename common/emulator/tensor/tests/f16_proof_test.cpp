// The proof that nothing can be truncated: where it accepts, both paths give the same bits; one
// element out of range makes it refuse.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "tensor/mma_kernels.h"
#include "tensor/tests/tiles.h"

namespace {

using namespace tcd::emu;
using tiles::Kind;

struct Outcome {
  bool proven;
  std::vector<uint32_t> fast, chip;
};

Outcome run(const MmaKernels& kernels, const tiles::Tile& tile, int chunk, int fraction_bits) {
  tiles::Fragments f = tiles::fragments_of(tile);
  PreparedA a;
  PreparedB b;
  kernels.prepare_a(f.a, tile.k / 4, a);
  kernels.prepare_b(f.b, tile.k / 8, b);
  Row d[4];
  std::memset(d, 0xee, sizeof d);
  auto proven = tile.half_accumulator ? kernels.multiply_proven_f16 : kernels.multiply_proven_f32;
  auto general =
      tile.half_accumulator ? kernels.multiply_general_f16 : kernels.multiply_general_f32;
  Outcome out;
  out.proven = proven(chunk, a, b, f.c, d);
  if (!out.proven) {
    for (uint32_t x : d[0].lane) REQUIRE(x == 0xeeeeeeeeu);  // untouched when refused
  }
  out.fast = tiles::matrix_of(d, tile.half_accumulator);
  general(chunk, fraction_bits, a, b, f.c, d);
  out.chip = tiles::matrix_of(d, tile.half_accumulator);
  return out;
}

std::vector<const MmaKernels*> variants() {
  std::vector<const MmaKernels*> all;
  for (const char* isa : {"sse2", "avx2", "avx512"}) {
    if (const MmaKernels* kernels = mma_kernels(isa)) all.push_back(kernels);
  }
  return all;
}

uint32_t pattern(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

tiles::Tile exact_tile(tiles::Rng& rng, int k, bool half) {
  tiles::Tile tile = tiles::random_f16_tile(rng, k, half, Kind::kExact, Kind::kExact, Kind::kExact);
  if (!half) {
    // An accumulator as after many steps: multiples of 1/16 up to 4096.
    for (uint32_t& c : tile.c) c = pattern(0.0625f * float(int(rng() % 131072) - 65536));
  }
  return tile;
}

}  // namespace

TEST_CASE("exact inputs are proven, and give the chip's bits") {
  tiles::Rng rng(21);
  for (const MmaKernels* kernels : variants()) {
    for (int k : {8, 16}) {
      for (bool half : {false, true}) {
        for (int i = 0; i < 200; ++i) {
          tiles::Tile tile = exact_tile(rng, k, half);
          Outcome out = run(*kernels, tile, 8, 24);
          REQUIRE(out.proven);
          REQUIRE(out.fast == out.chip);
          out = run(*kernels, tile, 16, 25);
          REQUIRE(out.proven);
          REQUIRE(out.fast == out.chip);
        }
      }
    }
  }
}

TEST_CASE("whatever is proven, of any kind of data, gives the chip's bits") {
  tiles::Rng rng(22);
  int proven = 0, refused = 0, subnormal_proven = 0;
  for (int round = 0; round < 2; ++round) {
    for (Kind kind_a : tiles::kAllKinds) {
      for (Kind kind_b : tiles::kAllKinds) {
        for (Kind kind_c : tiles::kAllKinds) {
          for (int variant = 0; variant < 4; ++variant) {
            bool half = variant & 1;
            int k = variant & 2 ? 16 : 8;
            tiles::Tile tile = tiles::random_f16_tile(rng, k, half, kind_a, kind_b, kind_c);
            for (const MmaKernels* kernels : variants()) {
              Outcome out = run(*kernels, tile, round & 1 ? 16 : 8, round & 1 ? 25 : 24);
              out.proven ? ++proven : ++refused;
              if (out.proven) REQUIRE(out.fast == out.chip);
              subnormal_proven += out.proven && kind_a == Kind::kSubnormal;
            }
          }
        }
      }
    }
  }
  const int builds = static_cast<int>(variants().size());  // under sanitizers there is one
  CHECK(proven > 150 * builds);
  CHECK(refused > 150 * builds);
  CHECK(subnormal_proven > 5 * builds);
}

TEST_CASE("sparse tiles with a random unit: near the limit of the proof, both sides occur") {
  // Elements n * 2^u with few bits, C of the same unit but growing: crosses the limit again and
  // again.
  tiles::Rng rng(23);
  int proven = 0, refused = 0;
  for (int i = 0; i < 5000; ++i) {
    tiles::Tile tile;
    tile.k = 16;
    int width_a = 1 + int(rng() % 10), width_b = 1 + int(rng() % 10),
        width_c = 16 + int(rng() % 12);
    int unit_a = int(rng() % 20) - 20, unit_b = int(rng() % 20) - 20;
    auto element = [&](int width, int unit) -> uint32_t {
      if (rng() % 3) return uint32_t(rng() & 1) << 15;
      float value = float(1 + rng() % (uint64_t{1} << width)) * std::ldexp(1.0f, unit);
      uint32_t x = pattern(value);
      if (value < 0x1p-14f) return uint32_t(value * 0x1p24f) | uint32_t(rng() & 1) << 15;
      return ((x >> 13) - (112u << 10)) | uint32_t(rng() & 1) << 15;
    };
    for (int e = 0; e < 256; ++e) tile.a.push_back(element(width_a, unit_a));
    for (int e = 0; e < 128; ++e) tile.b.push_back(element(width_b, unit_b));
    for (int e = 0; e < 128; ++e) {
      float c = float(rng() % (uint64_t{1} << width_c)) * std::ldexp(1.0f, unit_a + unit_b);
      tile.c.push_back(pattern(rng() & 1 ? c : -c));
    }
    for (const MmaKernels* kernels : variants()) {
      Outcome out = run(*kernels, tile, i & 1 ? 16 : 8, i & 1 ? 25 : 24);
      out.proven ? ++proven : ++refused;
      if (out.proven) REQUIRE(out.fast == out.chip);
    }
  }
  CHECK(proven > 500);
  CHECK(refused > 500);
}

TEST_CASE("control: one element out of range, anywhere, is refused") {
  tiles::Rng rng(24);
  for (const MmaKernels* kernels : variants()) {
    for (int k : {8, 16}) {
      for (int where = 0; where < 16 * k + 8 * k + 128; ++where) {
        tiles::Tile tile = exact_tile(rng, k, false);
        const size_t i = size_t(where);
        const size_t a_size = tile.a.size(), b_size = tile.b.size();
        tile.a[0] = tile.b[0] = 0x3c00;  // not all zero
        if (i < a_size) {
          tile.a[i] = where % 3 == 0 ? 0x0001 : where % 3 == 1 ? 0x7c00 : 0x7e00;
        } else if (i < a_size + b_size) {
          tile.b[i - a_size] = where % 3 == 0 ? 0x8001 : where % 3 == 1 ? 0xfc00 : 0xfe00;
        } else {
          const float bad[] = {0x1p-30f, 0x1p21f, 1.0f / 3, HUGE_VALF};
          tile.c[i - a_size - b_size] = pattern(bad[where % 4]);
          if (where % 5 == 0) tile.c[i - a_size - b_size] = 0x7fc00000;
        }
        REQUIRE_FALSE(run(*kernels, tile, 8, 24).proven);
      }
    }
  }
}

TEST_CASE("control: without the subnormals' exponent in the bound the proof would be wrong") {
  // A = 2^-24 (kept at exponent -14 by the chip), B spread over 20 bits: the exact sum fits FP32,
  // but the chip drops bits below 2^-38. The proof must refuse.
  tiles::Tile tile = {8, false, std::vector<uint32_t>(128, 0x0001),
                      std::vector<uint32_t>(64, 0x1400), std::vector<uint32_t>(128, 0)};
  for (int n = 0; n < 8; ++n) tile.b[size_t(n)] = 0x3c00;   // 1.0 beside 2^-10
  for (int n = 8; n < 16; ++n) tile.b[size_t(n)] = 0x0020;  // 2^-19
  for (const MmaKernels* kernels : variants()) {
    Outcome out = run(*kernels, tile, 8, 24);
    CHECK_FALSE(out.proven);
    CHECK(out.chip[0] == pattern(0x1p-24f + 6 * 0x1p-34f));  // 2^-43 is gone
  }
}

TEST_CASE("control: a subnormal FP16 C raises the chip's exponent as well") {
  // C = 2^-24 counts with exponent -14, so the chip drops the 2^-45 that would break a tie.
  tiles::Tile tile = {8, true, std::vector<uint32_t>(128), std::vector<uint32_t>(64),
                      std::vector<uint32_t>(128, 0x0001)};
  for (int m = 0; m < 16; ++m) {
    tile.a[size_t(m * 8)] = tile.a[size_t(m * 8 + 1)] = 0x0800;  // 2^-13
    tile.a[size_t(m * 8 + 2)] = 0x0004;                          // 2^-22
  }
  for (int n = 0; n < 8; ++n) {
    tile.b[size_t(n)] = tile.b[size_t(8 + n)] = 0x8800;  // -2^-13
    tile.b[size_t(16 + n)] = 0x0002;                     // 2^-23
  }
  for (const MmaKernels* kernels : variants()) {
    Outcome out = run(*kernels, tile, 8, 24);
    CHECK_FALSE(out.proven);
    CHECK(out.chip[0] == 0);  // half a unit, to even
  }
}

TEST_CASE("the limit itself: one unit below 2^24 is proven, 2^24 is not") {
  for (const MmaKernels* kernels : variants()) {
    for (int k : {8, 16}) {
      // k products of 1023 * 2047 (or half as much), in units of 1.
      const uint32_t a = k == 8 ? 0x63fe : 0x5ff8;  // 1023, 510
      tiles::Tile tile = {k, false, std::vector<uint32_t>(size_t(16 * k), a),
                          std::vector<uint32_t>(size_t(8 * k), 0x67ff), std::vector<uint32_t>(128)};
      tile.a[0] = k == 8 ? a : 0x5ffc;  // 511: an odd element, so that the unit is 1
      const float largest = k == 8 ? 1023 : 511;
      const float room = 0x1p24f - float(k) * largest * 2047;
      for (uint32_t& c : tile.c) c = pattern(room - 1);
      Outcome out = run(*kernels, tile, 16, 25);
      REQUIRE(out.proven);
      REQUIRE(out.fast == out.chip);
      tile.c[77] = pattern(room);
      REQUIRE_FALSE(run(*kernels, tile, 16, 25).proven);
      tile.c[77] = pattern(-room);
      REQUIRE_FALSE(run(*kernels, tile, 16, 25).proven);
    }
  }
}

TEST_CASE("control: a tiny element hidden among large ones is refused") {
  for (const MmaKernels* kernels : variants()) {
    for (size_t where : {size_t{0}, size_t{33}, size_t{127}}) {
      tiles::Tile tile = {8, false, std::vector<uint32_t>(128, 0x5800),  // 128
                          std::vector<uint32_t>(64, 0x5800), std::vector<uint32_t>(128)};
      REQUIRE(run(*kernels, tile, 8, 24).proven);
      tile.a[where] = 0x0001;
      REQUIRE_FALSE(run(*kernels, tile, 8, 24).proven);
      tile.a[where] = 0x5800;
      tile.b[where / 2] = 0x8001;
      REQUIRE_FALSE(run(*kernels, tile, 8, 24).proven);
    }
  }
}

TEST_CASE("signed zeros: both paths give +0") {
  for (const MmaKernels* kernels : variants()) {
    for (bool half : {false, true}) {
      uint32_t minus_zero = half ? 0x8000u : 0x80000000u;
      tiles::Tile tile = {16, half, std::vector<uint32_t>(256, 0x8000),
                          std::vector<uint32_t>(128, 0x3c00),
                          std::vector<uint32_t>(128, minus_zero)};
      for (uint32_t first : {0x8000u, 0x3c00u}) {
        tile.a[0] = first;  // all zero, then one product that is not
        Outcome out = run(*kernels, tile, 8, 24);
        REQUIRE(out.proven);
        CHECK(out.fast == out.chip);
        CHECK(out.fast[127] == 0);
      }
    }
  }
}

TEST_CASE("every instruction set proves the same tiles") {
  tiles::Rng rng(25);
  for (int i = 0; i < 500; ++i) {
    tiles::Tile tile =
        tiles::random_f16_tile(rng, 16, false, Kind::kCancelling, Kind::kExact, Kind::kExact);
    std::vector<bool> verdicts;
    for (const MmaKernels* kernels : variants())
      verdicts.push_back(run(*kernels, tile, 8, 24).proven);
    for (bool verdict : verdicts) REQUIRE(verdict == verdicts[0]);
  }
}
