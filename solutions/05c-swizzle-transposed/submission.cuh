// 05c: where a 16-byte chunk stands when the tile is read transposed, and a row has 12 chunks.
//
// D (M×N, row-major) = A (M×K, f16, row-major) × B (K×N, f16, row-major), summed in f32.
// Only OperandB::chunk() knows B's layout. Two stages, as on Day 05.
#pragma once

#include "exercises/device/gemm.cuh"
#include "ptx/cp_async.cuh"
#include "ptx/ldmatrix.cuh"
#include "ptx/mma.cuh"
#include "ptx/shared_address.cuh"

namespace {

// ---- constants

constexpr int kCtaM = 128, kCtaN = 96, kCtaK = 32;
constexpr int kWarpM = 64, kWarpN = 48;
constexpr int kMmaM = 16, kMmaN = 8, kMmaK = 16;
constexpr int kWarpsM = kCtaM / kWarpM, kWarpsN = kCtaN / kWarpN;
constexpr int kThreads = kWarpsM * kWarpsN * 32;
constexpr int kMmasM = kWarpM / kMmaM, kMmasN = kWarpN / kMmaN;  // 4 × 6 accumulator tiles a warp

constexpr int kStages = 2;

constexpr int kChunk = 8;  // halves in one 16-byte copy
constexpr int kChunksA = kCtaM * kCtaK / kChunk, kChunksB = kCtaK * kCtaN / kChunk;
static_assert(kChunksA % kThreads == 0 && kChunksB % kThreads == 0,
              "every thread copies the same number of chunks");
static_assert(kMmasN % 2 == 0, "one ldmatrix.x4 loads B for two mma");

// 128 rows of A, 32 halves each: Day 06's layout.
struct OperandA {
  half data[kCtaM * kCtaK];
  // k: the first half of a 16-byte chunk. Two rows fill a bank line, so the pair chooses.
  __device__ half* chunk(int row, int k) {
    return &data[row * kCtaK + (k ^ (row >> 1 & 3) * kChunk)];
  }
};

// 32 rows of B, 96 halves each: k is the row.
struct OperandB {
  half data[kCtaK * kCtaN];

  // ---- the hole: one function, about two lines

  // Where the chunk that holds element (k, column) of the tile starts. column is a multiple of 8.
  // A row is 192 bytes: it starts at group 4·k modulo 8, so even rows meet at 0 and odd ones at 4.
  // Four even rows have four groups to choose from, and so have four odd ones: two bits of the row
  // are enough, those above the lowest. Three would send chunks 8 to 11 to 12 to 15, out of the
  // row: 12 chunks are three blocks of four, not a power of two.
  __device__ half* chunk(int k, int column) {
    column ^= (k >> 1 & 3) * kChunk;
    return &data[k * kCtaN + column];
  }

  // ---- end of the hole
};

struct Tiles {
  OperandA a;  // [128][32]
  OperandB b;  // [32][96]
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

// Four 16-byte chunks of A and three of B a thread. Nothing has arrived when this returns.
__device__ void load_tile(Tiles& tiles, const tcd::GemmArguments& gemm, int tile_row,
                          int tile_column, int k0) {
#pragma unroll
  for (int chunk = threadIdx.x; chunk < kChunksA; chunk += kThreads) {
    const int row = chunk / (kCtaK / kChunk), k = chunk % (kCtaK / kChunk) * kChunk;
    tcd::ptx::cp_async_16(tcd::ptx::shared_address(tiles.a.chunk(row, k)),
                          gemm.a + size_t(tile_row + row) * gemm.lda + k0 + k);
  }
#pragma unroll
  for (int chunk = threadIdx.x; chunk < kChunksB; chunk += kThreads) {
    const int k = chunk / (kCtaN / kChunk), column = chunk % (kCtaN / kChunk) * kChunk;
    tcd::ptx::cp_async_16(tcd::ptx::shared_address(tiles.b.chunk(k, column)),
                          gemm.b + size_t(k0 + k) * gemm.ldb + tile_column + column);
  }
}

// ---- compute

// Rows 0–7 and 8–15 of k 0–7, then of k 8–15: the order of m16n8k16's a[0] … a[3].
__device__ void load_fragment_a(uint32_t (&a)[4], OperandA& tile, const Coordinates& at, int row,
                                int k) {
  const half* from = tile.chunk(row + at.lane % 16, k + at.lane / 16 * 8);
  tcd::ptx::ldmatrix_x4(a, tcd::ptx::shared_address(from));
}

// Two columns of mma at once: k 0–7 and 8–15 of eight columns, then of the next eight. Each 8×8
// tile is eight rows of k, one chunk of each; .trans turns it, as mma's .col wants it.
__device__ void load_fragments_b(uint32_t (&b)[4], OperandB& tile, const Coordinates& at,
                                 int column, int k) {
  const half* from = tile.chunk(k + at.lane % 16, column + at.lane / 16 * 8);
  tcd::ptx::ldmatrix_x4_trans(b, tcd::ptx::shared_address(from));
}

// 2 steps of k = 16; each 7 ldmatrix.x4 for 24 mma.
__device__ void compute_tile(float (&d)[kMmasM][kMmasN][4], Tiles& tiles, const Coordinates& at) {
#pragma unroll
  for (int k = 0; k < kCtaK; k += kMmaK) {
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
      for (int n = 0; n < kMmasN; ++n) {
        const uint32_t(&pair)[4] = b[n / 2];
        tcd::ptx::mma_m16n8k16(d[m][n], a[m], {pair[n % 2 * 2], pair[n % 2 * 2 + 1]});
      }
    }
  }
}

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
