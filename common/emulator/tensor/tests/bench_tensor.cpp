// ns per mma of every path on every instruction set this CPU has. Not a test: nothing is asserted.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

#include "tensor/mma.h"
#include "tensor/mma_kernels.h"
#include "tensor/row.h"

namespace {

using namespace tcd::emu;

uint16_t half_bits(float value) {  // exact inputs only: multiples of 0.25 in [-2, 2]
  if (value == 0) return 0;
  uint32_t x;
  std::memcpy(&x, &value, 4);
  return uint16_t((x >> 16 & 0x8000) | (((x >> 13) & 0x3ffff) - (112 << 10)));
}

struct Tiles {
  std::vector<Row> a, b, c;
};

Tiles make_tiles(int count, bool exact) {
  std::mt19937 rng(1);
  Tiles tiles;
  tiles.a.resize(4 * count);
  tiles.b.resize(2 * count);
  tiles.c.resize(4 * count);
  auto half = [&]() -> uint32_t {
    if (exact) return half_bits(0.25f * float(int(rng() % 17) - 8));
    return (rng() & 0x8000) | (12 + rng() % 4) << 10 | (rng() & 0x3ff);  // magnitudes 1/8..2
  };
  for (auto* rows : {&tiles.a, &tiles.b}) {
    for (Row& row : *rows) {
      for (uint32_t& lane : row.lane) lane = half() | half() << 16;
    }
  }
  for (Row& row : tiles.c) {
    for (uint32_t& lane : row.lane) {
      float value = exact ? 0.0625f * float(int(rng() % 4096) - 2048) : float(rng() % 4096) * 0.01f;
      std::memcpy(&lane, &value, 4);
    }
  }
  return tiles;
}

template <typename F>
double nanoseconds(int per_round, F&& round) {
  double best = 1e30;
  for (int i = 0; i < 60; ++i) {
    auto start = std::chrono::steady_clock::now();
    round();
    std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    if (took.count() / per_round < best) best = took.count() / per_round;
  }
  return best;
}

constexpr int kTiles = 16;
constexpr int kRepeats = 100;

void bench(const MmaKernels& k) {
  std::printf("%-7s", k.isa);
  Tiles exact = make_tiles(kTiles, true), random = make_tiles(kTiles, false);
  std::vector<PreparedA> a(kTiles);
  std::vector<PreparedB> b(kTiles);
  std::vector<Row> d(4);
  bool proven = true;
  auto each = [&](auto&& body) {
    return nanoseconds(kTiles * kRepeats, [&] {
      for (int repeat = 0; repeat < kRepeats; ++repeat) {
        for (int i = 0; i < kTiles; ++i) body(i);
      }
    });
  };
  double prepare_a = each([&](int i) { k.prepare_a(&exact.a[4 * i], 4, a[i]); });
  double prepare_b = each([&](int i) { k.prepare_b(&exact.b[2 * i], 2, b[i]); });
  double multiply = each([&](int i) {
    proven = k.multiply_proven_f32(8, a[i], b[i], &exact.c[4 * i], d.data()) && proven;
  });
  double whole = each([&](int i) {
    k.prepare_a(&exact.a[4 * i], 4, a[0]);
    k.prepare_b(&exact.b[2 * i], 2, b[0]);
    proven = k.multiply_proven_f32(8, a[0], b[0], &exact.c[4 * i], d.data()) && proven;
  });
  std::printf(" %9.1f %9.1f %9.1f %9.1f%s", prepare_a, prepare_b, multiply, whole,
              proven ? " " : "!");
  for (int chunk : {8, 16}) {
    int bits = chunk == 8 ? 24 : 25;
    for (int i = 0; i < kTiles; ++i) {
      k.prepare_a(&random.a[4 * i], 4, a[i]);
      k.prepare_b(&random.b[2 * i], 2, b[i]);
    }
    double general = each([&](int i) {
      k.multiply_general_f32(chunk, bits, a[i], b[i], &random.c[4 * i], d.data());
    });
    bool any = false;
    double all = each([&](int i) {
      k.prepare_a(&random.a[4 * i], 4, a[0]);
      k.prepare_b(&random.b[2 * i], 2, b[0]);
      if (k.multiply_proven_f32(chunk, a[0], b[0], &random.c[4 * i], d.data())) any = true;
      k.multiply_general_f32(chunk, bits, a[0], b[0], &random.c[4 * i], d.data());
    });
    std::printf(" %9.1f %9.1f%s", general, all, any ? "!" : " ");
  }
  std::printf("\n");
}

// As a kernel issues them: a warp tile of 4 x 4 mma, fresh A and B fragments every step of k.
void bench_warp_tile() {
  for (bool exact : {true, false}) {
    Tiles tiles = make_tiles(64, exact);
    std::vector<Row> acc(64);
    for (const TensorNumerics& chip : {TensorNumerics{8, 24, ""}, TensorNumerics{16, 25, ""}}) {
      double ns = nanoseconds(16 * 16 * 10, [&] {
        for (int repeat = 0; repeat < 10; ++repeat) {
          std::memset(acc.data(), 0, acc.size() * sizeof(Row));
          for (int step = 0; step < 16; ++step) {
            for (int m = 0; m < 4; ++m) {
              for (int n = 0; n < 4; ++n) {
                Row* c = &acc[size_t(16 * m + 4 * n)];
                mma_m16n8k16_f32_f16(chip, &tiles.a[size_t(16 * step + 4 * m)],
                                     &tiles.b[size_t(8 * step + 2 * n)], c, c);
              }
            }
          }
        }
      });
      std::printf("mma.h, warp tile 64 x 32, %s inputs, chunk %d, %s: %.1f ns per mma\n",
                  exact ? "exact" : "random", chip.chunk_k16, mma_kernels().isa, ns);
    }
  }
}

}  // namespace

int main() {
  bench_warp_tile();
  std::printf("m16n8k16.f32.f16, ns per mma, one core, best of 60 rounds\n");
  std::printf(
      "        prepare A prepare B  multiply     whole | general8     whole  general16"
      "     whole\n");
  for (const char* isa : {"sse2", "avx2", "avx512"}) {
    if (const MmaKernels* kernels = mma_kernels(isa)) {
      bench(*kernels);
    } else {
      std::printf("%-7s this CPU lacks it\n", isa);
    }
  }
  return 0;
}
