// 03a: the copy of a CTA tile, 16 bytes a thread at a time.
//
// D (M×N, row-major) = A (M×K, f16, row-major) × B (K×N, f16, column-major), summed in f32.
// Copy, barrier, multiply, barrier. Four warps; A's tile has 64 rows, B's 128.
#pragma once

#include "exercises/device/gemm.cuh"
#include "ptx/ldmatrix.cuh"
#include "ptx/mma.cuh"
#include "ptx/shared_address.cuh"

namespace {

// ---- constants

constexpr int kCtaM = 64, kCtaN = 128, kCtaK = 64;
constexpr int kWarpM = 32, kWarpN = 64;
constexpr int kMmaM = 16, kMmaN = 8, kMmaK = 16;
constexpr int kWarpsM = kCtaM / kWarpM, kWarpsN = kCtaN / kWarpN;
constexpr int kThreads = kWarpsM * kWarpsN * 32;
constexpr int kMmasM = kWarpM / kMmaM, kMmasN = kWarpN / kMmaN;  // 2 × 8 accumulator tiles a warp

constexpr int kChunk = 8;  // halves in one 16-byte copy
constexpr int kRowChunks = kCtaK / kChunk;
static_assert(kMmasN % 2 == 0, "one ldmatrix.x4 loads B for two mma");

// Rows are padded by one chunk: eight rows that follow each other start in eight groups of banks.
constexpr int kLd = kCtaK + kChunk;

// Rows of A, columns of B: either way k runs along the row.
template <int kRows>
struct Operand {
  half data[kRows * kLd];
  // k is a multiple of 8: the start of a 16-byte chunk.
  __device__ half* chunk(int row, int k) { return &data[row * kLd + k]; }
};

struct Tiles {
  Operand<kCtaM> a;  // [64][64 + 8]
  Operand<kCtaN> b;  // [128][64 + 8]
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

// ---- the hole: one function, about seven lines

// kRows rows of 64 halves from `from`, the tile's first element, into `tile`.
template <int kRows>
__device__ void load_operand(Operand<kRows>& tile, const half* from, int ld) {}

// ---- end of the hole

__device__ void load_tile(Tiles& tiles, const tcd::GemmArguments& gemm, int tile_row,
                          int tile_column, int k0) {
  load_operand(tiles.a, gemm.a + size_t(tile_row) * gemm.lda + k0, gemm.lda);
  load_operand(tiles.b, gemm.b + size_t(tile_column) * gemm.ldb + k0, gemm.ldb);
}

// ---- compute

// Rows 0–7 and 8–15 of k 0–7, then of k 8–15: the order of m16n8k16's a[0] … a[3].
__device__ void load_fragment_a(uint32_t (&a)[4], Operand<kCtaM>& tile, const Coordinates& at,
                                int row, int k) {
  const half* from = tile.chunk(row + at.lane % 16, k + at.lane / 16 * 8);
  tcd::ptx::ldmatrix_x4(a, tcd::ptx::shared_address(from));
}

// Two columns of mma at once: k 0–7 and 8–15 of eight columns, then of the next eight. No .trans:
// the tile already holds B by columns, as mma's .col wants it.
__device__ void load_fragments_b(uint32_t (&b)[4], Operand<kCtaN>& tile, const Coordinates& at,
                                 int column, int k) {
  const half* from = tile.chunk(column + at.lane / 16 * 8 + at.lane % 8, k + at.lane / 8 % 2 * 8);
  tcd::ptx::ldmatrix_x4(b, tcd::ptx::shared_address(from));
}

// 4 steps of k = 16; each 6 ldmatrix.x4 for 16 mma.
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

extern "C" __global__ void __launch_bounds__(kThreads) gemm_kernel(tcd::GemmArguments gemm) {
  __shared__ __align__(16) Tiles tiles;
  const Coordinates at = coordinates();
  const int tile_row = blockIdx.y * kCtaM, tile_column = blockIdx.x * kCtaN;
  float d[kMmasM][kMmasN][4] = {};
  for (int k0 = 0; k0 < gemm.k; k0 += kCtaK) {
    load_tile(tiles, gemm, tile_row, tile_column, k0);
    __syncthreads();  // the tile is complete before anyone reads it
    compute_tile(d, tiles, at);
    __syncthreads();  // and read by all before anyone overwrites it
  }
  store_tile(gemm, d, at, tile_row, tile_column);
}
