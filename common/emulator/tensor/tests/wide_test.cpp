// BF16, TF32 and FP8 against the integer model.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "tensor/fp8.h"
#include "tensor/mma.h"
#include "tensor/mma_kernels.h"
#include "tensor/tests/reference_dot.h"
#include "tensor/tests/tiles.h"

using namespace tcd::emu;
using tiles::Kind;

namespace {

using Matrix = std::vector<uint32_t>;

tiles::Tile random_tile(tiles::Rng& rng, int k, reference::Format format, bool half, Kind kind_a,
                        Kind kind_b, Kind kind_c) {
  tiles::Tile tile;
  tile.k = k;
  tile.half_accumulator = half;
  auto input = [&](Kind kind) {
    uint32_t x = tiles::random_number(rng, kind, format.exponent_bits, format.fraction_bits);
    return format.exponent_bits == 4 && kind == Kind::kSpecial && rng() % 40 == 0 ? 0x7f : x;
  };
  for (int i = 0; i < 16 * k; ++i) tile.a.push_back(input(kind_a));
  for (int i = 0; i < 8 * k; ++i) tile.b.push_back(input(kind_b));
  for (int i = 0; i < 128; ++i) {
    tile.c.push_back(half ? tiles::random_number(rng, kind_c, 5, 10)
                          : tiles::random_number(rng, kind_c, 8, 23));
  }
  return tile;
}

Matrix model(const tiles::Tile& tile, reference::Format format, int chunk,
             const TensorNumerics& chip) {
  const int least = tile.half_accumulator ? kLeastNormalF16 : kLeastNormalF32;
  Matrix d(128), column(size_t(tile.k));
  for (int n = 0; n < 8; ++n) {
    for (int k = 0; k < tile.k; ++k) column[size_t(k)] = tile.b[size_t(k * 8 + n)];
    for (int m = 0; m < 16; ++m) {
      std::span<const uint32_t> row(tile.a.data() + m * tile.k, size_t(tile.k));
      d[size_t(m * 8 + n)] =
          reference::dot(row, column, tile.c[size_t(m * 8 + n)], format,
                         tile.half_accumulator ? reference::kF16 : reference::kF32, chunk,
                         chip.fraction_bits, least - chip.alignment_floor);
    }
  }
  return d;
}

const TensorNumerics kAmpere{8, 24, ""}, kHopper{16, 25, "", 7};

}  // namespace

TEST_CASE("BF16 equals the integer model, from subnormals to the largest numbers") {
  tiles::Rng rng(41);
  for (const TensorNumerics& chip : {kAmpere, kHopper}) {
    for (int k : {8, 16}) {
      for (Kind a : tiles::kAllKinds) {
        for (Kind b : tiles::kAllKinds) {
          for (Kind c : tiles::kAllKinds) {
            tiles::Tile tile = random_tile(rng, k, reference::kBf16, false, a, b, c);
            tiles::Fragments f = tiles::fragments_of_words(tile, 16);
            (k == 8 ? mma_m16n8k8_f32_bf16 : mma_m16n8k16_f32_bf16)(chip, f.a, f.b, f.c, f.c);
            INFO("k " << k << " chunk " << chip.chunk_k16 << " kinds " << int(a) << int(b)
                      << int(c));
            REQUIRE(tiles::matrix_of(f.c, false) ==
                    model(tile, reference::kBf16, std::min(k, chip.chunk_k16), chip));
          }
        }
      }
    }
  }
}

TEST_CASE("BF16 at every scale: where the kernels hand over to the slow model, and back") {
  tiles::Rng rng(45);
  for (const TensorNumerics& chip : {kAmpere, kHopper}) {
    for (int scale_a = -120; scale_a <= 120; scale_a += 4) {
      for (int scale_b : {-110, -60, -51, -49, -20, 0, 20, 49, 51, 60, 110}) {
        const int k = scale_a % 8 == 0 ? 8 : 16;
        tiles::Tile tile = random_tile(rng, k, reference::kBf16, false, Kind::kNarrow,
                                       Kind::kNarrow, Kind::kNarrow);
        auto shift = [](std::vector<uint32_t>& matrix, int fraction_bits, int scale) {
          for (uint32_t& x : matrix) x += uint32_t(scale) << fraction_bits;
        };
        shift(tile.a, 7, scale_a);
        shift(tile.b, 7, scale_b);
        shift(tile.c, 23, std::clamp(scale_a + scale_b, -120, 120));
        // Without C only the inputs stand between the tile and a wrong proof.
        if (k == 8) tile.c.assign(128, 0);
        tiles::Fragments f = tiles::fragments_of_words(tile, 16);
        (k == 8 ? mma_m16n8k8_f32_bf16 : mma_m16n8k16_f32_bf16)(chip, f.a, f.b, f.c, f.c);
        INFO("scales " << scale_a << ' ' << scale_b);
        REQUIRE(tiles::matrix_of(f.c, false) ==
                model(tile, reference::kBf16, std::min(k, chip.chunk_k16), chip));
      }
    }
  }
}

TEST_CASE("TF32 equals the integer model, its 13 low bits ignored; chunks of 4 or 8") {
  tiles::Rng rng(42);
  int split_differs = 0;
  for (const TensorNumerics& chip : {kAmpere, kHopper}) {
    for (int k : {4, 8}) {
      for (Kind a : tiles::kAllKinds) {
        for (Kind b : tiles::kAllKinds) {
          for (Kind c : tiles::kAllKinds) {
            tiles::Tile tile = random_tile(rng, k, reference::kTf32, false, a, b, c);
            tiles::Tile words = tile;
            for (uint32_t& x : words.a) x = x << 13 | (rng() & 0x1fff);
            for (uint32_t& x : words.b) x = x << 13 | (rng() & 0x1fff);
            // Garbage below an infinity must not make it a NaN for the model's sake.
            tiles::Fragments f = tiles::fragments_of_words(words, 32);
            (k == 4 ? mma_m16n8k4_f32_tf32 : mma_m16n8k8_f32_tf32)(chip, f.a, f.b, f.c, f.c);
            int chunk = std::min(k, chip.chunk_k16 / 2);
            Matrix expected = model(tile, reference::kTf32, chunk, chip);
            INFO("k " << k << " chunk " << chunk << " kinds " << int(a) << int(b) << int(c));
            REQUIRE(tiles::matrix_of(f.c, false) == expected);
            if (k == 8) {  // the other chip's chunk
              split_differs += expected != model(tile, reference::kTf32, 12 - chunk, chip);
            }
          }
        }
      }
    }
  }
  CHECK(split_differs > 50);  // control: the other chunk is not the same
}

TEST_CASE("FP8 values, from the formats' definitions") {
  CHECK(fp8_to_float(Fp8::kE4m3, 0x01) == 0x1p-9f);
  CHECK(fp8_to_float(Fp8::kE4m3, 0x08) == 0x1p-6f);
  CHECK(fp8_to_float(Fp8::kE4m3, 0x38) == 1.0f);
  CHECK(fp8_to_float(Fp8::kE4m3, 0xfe) == -448.0f);
  CHECK(fp8_to_float(Fp8::kE4m3, 0x7f) != fp8_to_float(Fp8::kE4m3, 0x7f));
  CHECK(fp8_to_float(Fp8::kE5m2, 0x01) == 0x1p-16f);
  CHECK(fp8_to_float(Fp8::kE5m2, 0x3c) == 1.0f);
  CHECK(fp8_to_float(Fp8::kE5m2, 0x7b) == 57344.0f);
  CHECK(fp8_to_float(Fp8::kE5m2, 0xfc) == -__builtin_huge_valf());
  for (Fp8 type : {Fp8::kE4m3, Fp8::kE5m2}) {
    for (uint32_t i = 0; i < 256; ++i) {
      uint32_t wide = reference::convert(fp8_to_half(type, i), reference::kF16, reference::kF32);
      float value = fp8_to_float(type, i);
      if (value != value)
        CHECK((wide & 0x7fffffff) > 0x7f800000);
      else
        CHECK(wide == std::bit_cast<uint32_t>(value));
    }
  }
}

TEST_CASE("FP8 on sm_89: 16 products a step, 13 fraction bits, FP32 results cut to 13 bits") {
  tiles::Rng rng(43);
  int f_matters = 0;
  auto cut = [](Matrix d) {
    for (uint32_t& x : d) {
      if ((x & 0x7f800000) != 0x7f800000) x &= ~0x3ffu;
    }
    return d;
  };
  const std::pair<Fp8, reference::Format> types[] = {{Fp8::kE4m3, reference::kE4m3},
                                                     {Fp8::kE5m2, reference::kE5m2}};
  for (const auto& pair : types) {
    const Fp8 type = pair.first;
    const reference::Format format = pair.second;
    for (int k : {16, 32}) {
      for (Kind a : tiles::kAllKinds) {
        for (Kind b : tiles::kAllKinds) {
          for (Kind c : tiles::kAllKinds) {
            for (bool half : {false, true}) {
              tiles::Tile tile = random_tile(rng, k, format, half, a, b, c);
              tiles::Fragments f = tiles::fragments_of_words(tile, 8);
              if (half)
                (k == 16 ? mma_m16n8k16_f16_fp8 : mma_m16n8k32_f16_fp8)(kAmpere, type, type, f.a,
                                                                        f.b, f.c, f.c);
              else
                (k == 16 ? mma_m16n8k16_f32_fp8 : mma_m16n8k32_f32_fp8)(kAmpere, type, type, f.a,
                                                                        f.b, f.c, f.c);
              // Chunk by chunk, so that the model's FP32 accumulator is cut between them.
              tiles::Tile part = tile;
              part.k = 16;
              Matrix expected = tile.c, other;
              for (int from = 0; from < k; from += 16) {
                part.a.clear();
                for (int m = 0; m < 16; ++m) {
                  part.a.insert(part.a.end(), tile.a.begin() + m * k + from,
                                tile.a.begin() + m * k + from + 16);
                }
                part.b.assign(tile.b.begin() + from * 8, tile.b.begin() + from * 8 + 128);
                part.c = expected;
                expected = model(part, format, 16, {16, 13, ""});
                other = model(part, format, 16, {16, 14, ""});
                if (!half) expected = cut(expected);
                if (!half) other = cut(other);
              }
              INFO("type " << int(type) << " k " << k << " f16 " << half << " kinds " << int(a)
                           << int(b) << int(c));
              REQUIRE(tiles::matrix_of(f.c, half) == expected);
              f_matters += other != expected;
            }
          }
        }
      }
    }
  }
  CHECK(f_matters > 100);
}

TEST_CASE("FP8 on sm_90: two FP16 products by byte pairs, C added at the end") {
  tiles::Rng rng(44);
  int order_matters = 0;
  for (int k : {16, 32}) {
    for (Kind kind : tiles::kAllKinds) {
      for (int round = 0; round < 20; ++round) {
        const bool half = round & 1;
        tiles::Tile tile = random_tile(rng, k, reference::kE5m2, half, kind, kind, kind);
        tiles::Fragments f = tiles::fragments_of_words(tile, 8);
        if (half)
          (k == 16 ? mma_m16n8k16_f16_fp8 : mma_m16n8k32_f16_fp8)(kHopper, Fp8::kE5m2, Fp8::kE5m2,
                                                                  f.a, f.b, f.c, f.c);
        else
          (k == 16 ? mma_m16n8k16_f32_fp8 : mma_m16n8k32_f32_fp8)(kHopper, Fp8::kE5m2, Fp8::kE5m2,
                                                                  f.a, f.b, f.c, f.c);
        Matrix got = tiles::matrix_of(f.c, half);
        const reference::Format result = half ? reference::kF16 : reference::kF32;
        for (int m = 0; m < 16; ++m) {
          for (int n = 0; n < 8; ++n) {
            uint32_t sum = 0;
            for (int pair = 0; pair < 2; ++pair) {
              Matrix x, y;
              for (int w = 0; w < k / 4; ++w) {
                for (int byte = 2 * pair; byte < 2 * pair + 2; ++byte) {
                  x.push_back(tile.a[size_t(m * k + 4 * w + byte)] << 8);
                  y.push_back(tile.b[size_t((4 * w + byte) * 8 + n)] << 8);
                }
              }
              sum =
                  reference::dot(x, y, sum, reference::kF16, result, k / 2, 25, half ? -21 : -133);
            }
            uint32_t c = tile.c[size_t(m * 8 + n)], expected;
            float left = std::bit_cast<float>(reference::convert(sum, result, reference::kF32));
            float right = std::bit_cast<float>(reference::convert(c, result, reference::kF32));
            float total = left + right;
            if (total != total)
              expected = half ? 0x7fff : 0x7fffffff;
            else
              expected =
                  reference::convert(std::bit_cast<uint32_t>(total), reference::kF32, result);
            REQUIRE(got[size_t(m * 8 + n)] == expected);
            order_matters += expected != sum;
          }
        }
      }
    }
  }
  CHECK(order_matters > 1000);
}
