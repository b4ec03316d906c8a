// 09b: four warps of 64×64 that walk their accumulator tiles to and fro. Find the bug.
//
// D (M×N, row-major) = A (M×K, f16, row-major) × B (K×N, f16, column-major), summed in f32.
#pragma once

#include "exercises/device/gemm.cuh"
#include "ptx/cp_async.cuh"
#include "ptx/ldmatrix.cuh"
#include "ptx/mma.cuh"
#include "ptx/shared_address.cuh"

namespace {

// ---- constants

constexpr int kCtaM = 128, kCtaN = 128, kCtaK = 32;
constexpr int kWarpM = 64, kWarpN = 64;
constexpr int kMmaM = 16, kMmaN = 8, kMmaK = 8;
constexpr int kStepK = 2 * kMmaK;  // what one ldmatrix.x4 loads
constexpr int kWarpsM = kCtaM / kWarpM, kWarpsN = kCtaN / kWarpN;
constexpr int kThreads = kWarpsM * kWarpsN * 32;
constexpr int kMmasM = kWarpM / kMmaM, kMmasN = kWarpN / kMmaN;  // 4 × 8 accumulator tiles a warp

constexpr int kStages = 2;

constexpr int kChunk = 8;  // halves in one 16-byte copy
constexpr int kRowChunks = kCtaK / kChunk;
static_assert(kCtaM == kCtaN, "A and B share load_operand()");
static_assert(kCtaM * kRowChunks % kThreads == 0, "every thread copies the same number of chunks");
static_assert(kMmasN % 2 == 0, "one ldmatrix.x4 loads B for two mma");

// 128 rows of 32 halves. Rows of A, columns of B: either way k runs along the row.
struct Operand {
  half data[kCtaM * kCtaK];
  // k: the first half of a 16-byte chunk. Two rows fill a bank line, so the pair chooses.
  __device__ half* chunk(int row, int k) {
    return &data[row * kCtaK + (k ^ (row >> 1 & 3) * kChunk)];
  }
};

struct Tiles {
  Operand a;  // [128][32]
  Operand b;  // [128][32]
};

// ---- coordinates

struct Coordinates {
  int lane;
  int group, in_group;        // groupID and threadID_in_group of the PTX fragment tables
  int warp_row, warp_column;  // corner of the warp's tile inside the CTA's
};

__device__ Coordinates coordinates() {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  return {lane, lane / 4, lane % 4, warp / kWarpsN * kWarpM, warp % kWarpsN * kWarpN};
}

// ---- load

// 128 rows of 32 halves: four 16-byte chunks a thread. `from` points at the tile's first element.
// Nothing has arrived when this returns.
__device__ void load_operand(Operand& tile, const half* from, int ld) {
#pragma unroll
  for (int i = 0; i < kCtaM * kRowChunks / kThreads; ++i) {
    const int chunk = threadIdx.x + i * kThreads;
    const int row = chunk / kRowChunks, k = chunk % kRowChunks * kChunk;
    tcd::ptx::cp_async_16(tcd::ptx::shared_address(tile.chunk(row, k)),
                          from + size_t(row) * ld + k);
  }
}

__device__ void load_tile(Tiles& tiles, const tcd::GemmArguments& gemm, int tile_row,
                          int tile_column, int k0) {
  load_operand(tiles.a, gemm.a + size_t(tile_row) * gemm.lda + k0, gemm.lda);
  load_operand(tiles.b, gemm.b + size_t(tile_column) * gemm.ldb + k0, gemm.ldb);
}

// ---- compute

// Four 8×8 tiles of 16 rows and 16 of k: rows 0–7 and 8–15 of k 0–7, then the same of k 8–15.
__device__ void load_fragment_a(uint32_t (&a)[4], Operand& tile, const Coordinates& at, int row,
                                int k) {
  const half* from = tile.chunk(row + at.lane % 16, k + at.lane / 16 * 8);
  tcd::ptx::ldmatrix_x4(a, tcd::ptx::shared_address(from));
}

// Two columns of mma at once: k 0–7 and 8–15 of eight columns, then of the next eight. No .trans:
// the tile already holds B by columns, as mma's .col wants it.
__device__ void load_fragments_b(uint32_t (&b)[4], Operand& tile, const Coordinates& at, int column,
                                 int k) {
  const half* from = tile.chunk(column + at.lane / 16 * 8 + at.lane % 8, k + at.lane / 8 % 2 * 8);
  tcd::ptx::ldmatrix_x4(b, tcd::ptx::shared_address(from));
}

// ---- the hole: one or two lines

// 2 steps of k = 16; each 8 ldmatrix.x4 for 64 mma. Odd rows of tiles are walked from right to
// left: where a row ends, the next begins with the B registers that were used last.
__device__ void compute_tile(float (&d)[kMmasM][kMmasN][4], Tiles& tiles, const Coordinates& at) {
#pragma unroll
  for (int k = 0; k < kCtaK; k += kStepK) {
    uint32_t a[kMmasM][4], b[kMmasN / 2][4];
#pragma unroll
    for (int m = 0; m < kMmasM; ++m) {
      load_fragment_a(a[m], tiles.a, at, at.warp_row + m * kMmaM, k);
    }
#pragma unroll
    for (int n = 0; n < kMmasN / 2; ++n) {
      load_fragments_b(b[n], tiles.b, at, at.warp_column + n * 2 * kMmaN, k);
    }
#pragma unroll
    for (int m = 0; m < kMmasM; ++m) {
#pragma unroll
      for (int step = 0; step < kMmasN; ++step) {
        const int n = m % 2 == 0 ? step : kMmasN - 1 - step;
        const uint32_t(&pair)[4] = b[n / 2];
        tcd::ptx::mma_m16n8k8(d[m][n], {a[m][0], a[m][1]}, {pair[step % 2 * 2]});
        tcd::ptx::mma_m16n8k8(d[m][n], {a[m][2], a[m][3]}, {pair[step % 2 * 2 + 1]});
      }
    }
  }
}

// ---- end of the hole

// ---- store

__device__ void store_pair(float* to, float x, float y) {
  *reinterpret_cast<float2*>(to) = make_float2(x, y);
}

__device__ void store_tile(const tcd::GemmArguments& gemm, const float (&d)[kMmasM][kMmasN][4],
                           const Coordinates& at, int tile_row, int tile_column) {
#pragma unroll
  for (int m = 0; m < kMmasM; ++m) {
    const size_t row = tile_row + at.warp_row + m * kMmaM + at.group;
#pragma unroll
    for (int n = 0; n < kMmasN; ++n) {
      const int column = tile_column + at.warp_column + n * kMmaN + at.in_group * 2;
      store_pair(gemm.d + row * gemm.ldd + column, d[m][n][0], d[m][n][1]);
      store_pair(gemm.d + (row + 8) * gemm.ldd + column, d[m][n][2], d[m][n][3]);
    }
  }
}

}  // namespace

// ---- kernel

extern "C" __global__ void __launch_bounds__(kThreads, 2) gemm_kernel(tcd::GemmArguments gemm) {
  extern __shared__ __align__(128) unsigned char shared[];
  auto* stages = reinterpret_cast<Tiles*>(shared);  // [kStages]
  const Coordinates at = coordinates();
  const int tile_row = blockIdx.y * kCtaM, tile_column = blockIdx.x * kCtaN;
  const int tiles = gemm.k / kCtaK;
  float d[kMmasM][kMmasN][4] = {};
  const auto fetch = [&](int tile) {
    const int k = tile * kCtaK;
    if (tile < tiles) load_tile(stages[tile % kStages], gemm, tile_row, tile_column, k);
    tcd::ptx::cp_async_commit();  // empty in the drain, so that the counts below stay true
  };
  for (int tile = 0; tile < kStages - 1; ++tile) fetch(tile);
  for (int tile = 0; tile < tiles; ++tile) {
    tcd::ptx::cp_async_wait<kStages - 2>();
    __syncthreads();
    fetch(tile + kStages - 1);
    compute_tile(d, stages[tile % kStages], at);
  }
  store_tile(gemm, d, at, tile_row, tile_column);
}
