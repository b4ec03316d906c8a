// Day 06: the order in which CTAs walk the output. A pure remap of indices; the main loop is
// untouched, and of yesterday's layouts only the conflict-free one is kept.
//
// D (M×N, row-major) = A (M×K, f16, row-major) × B (K×N, f16, column-major), summed in f32.
// CTAs that run at the same time share tiles of A and B through L2. In row-major order they share
// one tile row of A and need every column of B; in grouped order they form a block, and need less.
#include <cuda_fp16.h>

#include "day.h"
#include "ptx/cp_async.cuh"
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

// Tile `index` of rows × columns tiles: groups of `group` tile rows, walked column by column.
// group = 1 is row-major. The last group may have fewer rows; the map stays a bijection.
__host__ __device__ TilePosition rasterize(int index, int rows, int columns, int group) {
  const int first_row = index / (group * columns) * group;
  const int rows_here = rows - first_row < group ? rows - first_row : group;
  const int in_group = index - first_row * columns;
  return {first_row + in_group % rows_here, in_group / rows_here};
}

// ---- load

// 128 rows of 32 halves: two 16-byte chunks a thread. `from` points at the tile's first element.
// Nothing has arrived when this returns.
__device__ void load_operand(Operand& tile, const half* from, int ld) {
#pragma unroll
  for (int i = 0; i < kCtaM * kRowChunks / kThreads; ++i) {
    const int chunk = threadIdx.x + i * kThreads;
    const int row = chunk / kRowChunks, k = chunk % kRowChunks * kChunk;
    const uint32_t to = tcd::ptx::shared_address(tile.chunk(row, k));
    const half* chunk_from = from + size_t(row) * ld + k;
    tcd::ptx::cp_async_16(to, chunk_from);
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

// One barrier per k-tile from two stages on: it says both "this tile has landed for everyone" and
// "the slot about to be overwritten has been read by everyone".
template <int kStages, typename Output>
__global__ void __launch_bounds__(kThreads, 2) gemm_kernel(GemmArguments<Output> gemm) {
  extern __shared__ __align__(128) unsigned char shared[];
  auto* stages = reinterpret_cast<Tiles*>(shared);  // [kStages]
  const auto at = tcd::tile::coordinates<kWarpsN, kWarpM, kWarpN>();
  const auto [row, column] = rasterize(blockIdx.x, gemm.m / kCtaM, gemm.n / kCtaN, gemm.group);
  const int tile_row = row * kCtaM, tile_column = column * kCtaN;
  const int tiles = gemm.k / kCtaK;
  float d[kMmasM][kMmasN][4] = {};
  const auto fetch = [&](int tile) {
    const int k = tile * kCtaK;
    if (tile < tiles) load_tile(stages[tile % kStages], gemm, tile_row, tile_column, k);
    tcd::ptx::cp_async_commit();  // empty in the drain, so that the counts below stay true
  };
  for (int tile = 0; tile < kStages - 1; ++tile) fetch(tile);  // prologue: all slots but one
  for (int tile = 0; tile < tiles; ++tile) {
    if (kStages == 1) fetch(tile);  // nothing to overlap with: the copy's whole latency is waited
    // kStages − 1 groups are in flight; the oldest is this tile's.
    tcd::ptx::cp_async_wait<kStages == 1 ? 0 : kStages - 2>();
    __syncthreads();
    if (kStages > 1) fetch(tile + kStages - 1);  // into the slot of tile − 1
    compute_tile(d, stages[tile % kStages], at);
    if (kStages == 1) __syncthreads();  // the only slot: all must have read it
  }
  store_tile(gemm, d, at, tile_row, tile_column);
}

// ---- launch

template <int kStages, typename Output>
void launch_gemm(const GemmArguments<Output>& gemm) {
  const auto kernel = gemm_kernel<kStages, Output>;
  constexpr int kBytes = kStages * sizeof(Tiles);
  tcd::allow_shared_memory(kernel, kBytes);
  const int ctas = gemm.m / kCtaM * (gemm.n / kCtaN);
  kernel<<<ctas, kThreads, kBytes>>>(gemm);
}

}  // namespace day
