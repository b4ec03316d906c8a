// 11a: CTAs that stay, and copies that run on into their next tile.
//
// D (M×N, row-major) = A (M×K, f16, row-major) × B (K×N, f16, column-major), summed in f32.
// Tile after tile, in order: number n is in row n / columns, column n % columns.
#pragma once

#include "exercises/device/gemm.cuh"
#include "ptx/cp_async.cuh"
#include "ptx/ldmatrix.cuh"
#include "ptx/mma.cuh"
#include "ptx/shared_address.cuh"

namespace {

// ---- constants

constexpr int kCtaM = 64, kCtaN = 64, kCtaK = 32;
constexpr int kWarpM = 32, kWarpN = 32;
constexpr int kMmaM = 16, kMmaN = 8, kMmaK = 16;
constexpr int kWarpsM = kCtaM / kWarpM, kWarpsN = kCtaN / kWarpN;
constexpr int kThreads = kWarpsM * kWarpsN * 32;
constexpr int kMmasM = kWarpM / kMmaM, kMmasN = kWarpN / kMmaN;  // 2 × 4 accumulator tiles a warp

constexpr int kStages = 3;

// As if the device held two CTAs at once: the first two of the grid stay, the others go home.
constexpr int kResident = 2;

constexpr int kChunk = 8;  // halves in one 16-byte copy
constexpr int kRowChunks = kCtaK / kChunk;
static_assert(kCtaM == kCtaN, "A and B share load_operand()");
static_assert(kCtaM * kRowChunks % kThreads == 0, "every thread copies the same number of chunks");
static_assert(kMmasN % 2 == 0, "one ldmatrix.x4 loads B for two mma");

// 64 rows of 32 halves. Rows of A, columns of B: either way k runs along the row.
struct Operand {
  half data[kCtaM * kCtaK];
  // k: the first half of a 16-byte chunk. Two rows fill a bank line, so the pair chooses.
  __device__ half* chunk(int row, int k) {
    return &data[row * kCtaK + (k ^ (row >> 1 & 3) * kChunk)];
  }
};

struct Tiles {
  Operand a;  // [64][32]
  Operand b;  // [64][32]
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

// 64 rows of 32 halves: two 16-byte chunks a thread. `from` points at the tile's first element.
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

// 2 steps of k = 16; each 4 ldmatrix.x4 for 8 mma.
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

// ---- kernel

// Where the copies are: the k-tile that the next call of issue() asks for, and its slot. Two
// k-tiles ahead of the mma, which may be in another tile of D.
struct Copies {
  Tiles* stages;  // [kStages]
  const tcd::GemmArguments& gemm;
  int columns, tiles;  // of D
  int depth;           // k-tiles of each
  int tile, k, slot;
};

// ---- the hole: one function, about ten lines

// Asks for one k-tile of one tile of D, and makes a group of it. Then steps on.
// The slot goes round and round and knows nothing of tiles: the mma go round in the same order.
// With one k-tile in a tile of D the copies are two tiles ahead, so the next tile is counted from
// the copies' own. Behind the last there is nothing to copy and still a group: the wait counts
// groups.
__device__ void issue(Copies& copies) {
  auto& [stages, gemm, columns, tiles, depth, tile, k, slot] = copies;
  if (tile < tiles) {
    load_tile(stages[slot], gemm, tile / columns * kCtaM, tile % columns * kCtaN, k * kCtaK);
  }
  tcd::ptx::cp_async_commit();
  slot = slot + 1 == kStages ? 0 : slot + 1;
  if (++k < depth) return;
  k = 0;
  tile += kResident;
}

// ---- end of the hole

}  // namespace

extern "C" __global__ void __launch_bounds__(kThreads) gemm_kernel(tcd::GemmArguments gemm) {
  extern __shared__ __align__(128) unsigned char shared[];
  auto* stages = reinterpret_cast<Tiles*>(shared);  // [kStages]
  const Coordinates at = coordinates();
  const int columns = gemm.n / kCtaN, tiles = gemm.m / kCtaM * columns, depth = gemm.k / kCtaK;
  const int first = blockIdx.y * gridDim.x + blockIdx.x;
  if (first >= kResident) return;
  Copies copies = {stages, gemm, columns, tiles, depth, first, 0, 0};
  for (int stage = 0; stage < kStages - 1; ++stage) issue(copies);
  int slot = 0;
  for (int tile = first; tile < tiles; tile += kResident) {
    float d[kMmasM][kMmasN][4] = {};
    for (int k = 0; k < depth; ++k) {
      tcd::ptx::cp_async_wait<kStages - 2>();
      __syncthreads();
      issue(copies);  // into the slot that all have read before the barrier
      compute_tile(d, stages[slot], at);
      slot = slot + 1 == kStages ? 0 : slot + 1;
    }
    store_tile(gemm, d, at, tile / columns * kCtaM, tile % columns * kCtaN);
  }
}
