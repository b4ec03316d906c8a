// Day 03: a CTA tile of 128×128×32, eight warps of 64×32, one m16n8k16 for two m16n8k8.
//
// D (M×N, row-major) = A (M×K, f16, row-major) × B (K×N, f16, column-major), summed in f32.
// Column-major B is the decision everything after stands on: the rows of A and the columns of B are
// then the same kind of thing, 32 consecutive halves of k, and one load_operand() copies both.
#include <cuda_fp16.h>

#include "day.h"
#include "ptx/ldmatrix.cuh"
#include "ptx/mma.cuh"
#include "ptx/shared_address.cuh"
#include "ptx/store.cuh"
#include "tile/coordinates.cuh"

namespace day {

using tcd::tile::Coordinates;

// ---- constants

constexpr int kCtaM = 128, kCtaN = 128, kCtaK = 32;
constexpr int kWarpM = 64, kWarpN = 32;
constexpr int kMmaM = 16, kMmaN = 8, kMmaK = 16;
constexpr int kWarpsM = kCtaM / kWarpM, kWarpsN = kCtaN / kWarpN;
constexpr int kThreads = kWarpsM * kWarpsN * 32;
constexpr int kMmasM = kWarpM / kMmaM, kMmasN = kWarpN / kMmaN;  // 4 × 4 accumulator tiles a warp

constexpr int kChunk = 8;  // halves in one 16-byte copy
constexpr int kRowChunks = kCtaK / kChunk;
static_assert(kCtaM == kCtaN, "A and B share load_operand()");
static_assert(kCtaM * kRowChunks % kThreads == 0, "every thread copies the same number of chunks");
static_assert(kMmasN % 2 == 0, "one ldmatrix.x4 loads B for two mma");

// 128 rows of 32 halves. Rows of A, columns of B: either way k runs along the row.
struct Operand {
  half data[kCtaM * kCtaK];
  // k is a multiple of 8: the start of a 16-byte chunk.
  __device__ half* chunk(int row, int k) { return &data[row * kCtaK + k]; }
};

struct Tiles {
  Operand a;  // [128][32]
  Operand b;  // [128][32]
};

// ---- load

// 128 rows of 32 halves: two 16-byte chunks a thread. `from` points at the tile's first element.
__device__ void load_operand(Operand& tile, const half* from, int ld) {
#pragma unroll
  for (int i = 0; i < kCtaM * kRowChunks / kThreads; ++i) {
    const int chunk = threadIdx.x + i * kThreads;
    const int row = chunk / kRowChunks, k = chunk % kRowChunks * kChunk;
    *reinterpret_cast<uint4*>(tile.chunk(row, k)) =
        *reinterpret_cast<const uint4*>(from + size_t(row) * ld + k);
  }
}

template <typename Output>
__device__ void load_tile(Tiles& tiles, const GemmArguments<Output>& gemm, int tile_row,
                          int tile_column, int k0) {
  load_operand(tiles.a, gemm.a + size_t(tile_row) * gemm.lda + k0, gemm.lda);
  load_operand(tiles.b, gemm.b + size_t(tile_column) * gemm.ldb + k0, gemm.ldb);
}

// ---- compute

// Rows 0–7 and 8–15 of k 0–7, then of k 8–15: the order of m16n8k16's a[0] … a[3].
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

// 2 steps of k = 16; each 6 ldmatrix.x4 for 16 mma.
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

template <typename Output>
__device__ void store_tile(const GemmArguments<Output>& gemm, const float (&d)[kMmasM][kMmasN][4],
                           const Coordinates& at, int tile_row, int tile_column) {
#pragma unroll
  for (int m = 0; m < kMmasM; ++m) {
    const size_t row = tile_row + at.warp_row + m * kMmaM + at.group;
#pragma unroll
    for (int n = 0; n < kMmasN; ++n) {
      const int column = tile_column + at.warp_column + n * kMmaN + at.in_group * 2;
      tcd::ptx::store_pair(gemm.d + row * gemm.ldd + column, d[m][n][0], d[m][n][1]);
      tcd::ptx::store_pair(gemm.d + (row + 8) * gemm.ldd + column, d[m][n][2], d[m][n][3]);
    }
  }
}

// ---- kernel

// Two CTAs an SM: 65,536 registers / 512 threads leave 128 a thread. Unbounded, CUDA 13.0 takes 107
// for sm_89 but 130 for sm_90, and there one CTA fits.
template <typename Output>
__global__ void __launch_bounds__(kThreads, 2) gemm_kernel(GemmArguments<Output> gemm) {
  __shared__ Tiles tiles;
  const auto at = tcd::tile::coordinates<kWarpsN, kWarpM, kWarpN>();
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

// ---- launch

template <typename Output>
void launch_gemm(const GemmArguments<Output>& gemm) {
  gemm_kernel<<<dim3(gemm.n / kCtaN, gemm.m / kCtaM), kThreads>>>(gemm);
}

}  // namespace day
