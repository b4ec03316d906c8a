// 10b: fragments a k-step ahead, and k-tiles of a single step. Find the bug.
//
// D (M×N, row-major) = A (M×K, f16, row-major) × B (K×N, f16, column-major), summed in f32.
// Day 10's kernel with k-tiles of 16: four slots of 8 KiB.
#pragma once

#include "exercises/device/gemm.cuh"
#include "ptx/cp_async.cuh"
#include "ptx/ldmatrix.cuh"
#include "ptx/mma.cuh"
#include "ptx/shared_address.cuh"

namespace {

// ---- constants

constexpr int kCtaM = 128, kCtaN = 128, kCtaK = 16;
constexpr int kWarpM = 64, kWarpN = 64;
constexpr int kMmaM = 16, kMmaN = 8;
constexpr int kStepK = 16;  // what one ldmatrix.x4 loads
static_assert(kCtaK == kStepK, "a k-tile is a k-step");
constexpr int kWarpsM = kCtaM / kWarpM, kWarpsN = kCtaN / kWarpN;
constexpr int kThreads = kWarpsM * kWarpsN * 32;
constexpr int kMmasM = kWarpM / kMmaM, kMmasN = kWarpN / kMmaN;  // 4 × 8 accumulator tiles a warp

constexpr int kStages = 4;

constexpr int kChunk = 8;  // halves in one 16-byte copy
constexpr int kRowChunks = kCtaK / kChunk;

// 128 rows of 16 halves. Rows of A, columns of B: either way k runs along the row.
struct Operand {
  half data[kCtaM * kCtaK];
  // k: the first half of a 16-byte chunk. Four rows fill a bank line, so these four choose.
  __device__ half* chunk(int row, int k) {
    return &data[row * kCtaK + (k ^ (row >> 2 & 1) * kChunk)];
  }
};

struct Tiles {
  Operand a;  // [128][16]
  Operand b;  // [128][16]
};

// What a warp multiplies in one k-step, each lane its part: 64×16 of A and 16×64 of B.
struct Fragments {
  uint32_t a[kMmasM][4], b[kMmasN / 2][4];
};

// ---- load

// The copies of one k-tile after the other: two 16-byte chunks of A and two of B a thread.
struct Copies {
  static constexpr int kRows = kThreads / kRowChunks;  // at once
  static_assert(kRows % 8 == 0, "a thread's chunks are all swizzled alike");
  const half *a, *b;  // this thread's first chunks
  size_t step_a, step_b;
  uint32_t to;  // the first chunk of A in slot 0
  int tiles, slot;

  // Nothing has arrived when this returns.
  __device__ void issue() {
#pragma unroll
    for (int i = 0; tiles > 0 && i < kCtaM / kRows; ++i) {
      const uint32_t offset = slot * uint32_t(sizeof(Tiles)) + i * kRows * kCtaK * sizeof(half);
      tcd::ptx::cp_async_16(to + offset, a + i * step_a);
      tcd::ptx::cp_async_16(to + offset + sizeof(Operand), b + i * step_b);
    }
    tcd::ptx::cp_async_commit();  // empty in the drain, so that the counts below stay true
    slot = slot + 1 == kStages ? 0 : slot + 1;
    a += kCtaK;
    b += kCtaK;
    --tiles;
  }
};

// 8 ldmatrix.x4 from this lane's addresses in a tile.
__device__ void load_fragments(Fragments& to, uint32_t a, uint32_t b) {
  constexpr int kNext = 16 * kCtaK * sizeof(half);
#pragma unroll
  for (int n = 0; n < kMmasN / 2; ++n) tcd::ptx::ldmatrix_x4(to.b[n], b + n * kNext);
#pragma unroll
  for (int m = 0; m < kMmasM; ++m) tcd::ptx::ldmatrix_x4(to.a[m], a + m * kNext);
}

// ---- compute

// 32 m16n8k16. Column after column, down and up again: neighbours share a fragment.
__device__ void multiply(float (&d)[kMmasM][kMmasN][4], const Fragments& from) {
#pragma unroll
  for (int n = 0; n < kMmasN; ++n) {
#pragma unroll
    for (int i = 0; i < kMmasM; ++i) {
      const int m = n % 2 == 0 ? i : kMmasM - 1 - i;
      tcd::ptx::mma_m16n8k16(d[m][n], from.a[m],
                             {from.b[n / 2][n % 2 * 2], from.b[n / 2][n % 2 * 2 + 1]});
    }
  }
}

// ---- store

__device__ void store_pair(float* to, float x, float y) {
  *reinterpret_cast<float2*>(to) = make_float2(x, y);
}

__device__ void store_tile(const tcd::GemmArguments& gemm, const float (&d)[kMmasM][kMmasN][4],
                           int row, int column) {
#pragma unroll
  for (int m = 0; m < kMmasM; ++m) {
#pragma unroll
    for (int n = 0; n < kMmasN; ++n) {
      float* to = gemm.d + size_t(row + m * kMmaM) * gemm.ldd + column + n * kMmaN;
      store_pair(to, d[m][n][0], d[m][n][1]);
      store_pair(to + size_t(8) * gemm.ldd, d[m][n][2], d[m][n][3]);
    }
  }
}

// This thread's oldest copies but kStages − 2 groups have landed, and everyone's have.
__device__ void next_has_landed() {
  tcd::ptx::cp_async_wait<kStages - 2>();
  __syncthreads();
}

// ---- the hole: one function, about five lines of it

// a, b: this lane's addresses for ldmatrix in slot 0.
__device__ void multiply_tiles(float (&d)[kMmasM][kMmasN][4], Copies& copies, uint32_t a,
                               uint32_t b, int tiles) {
  Fragments fragments[2];
  next_has_landed();
  load_fragments(fragments[0], a, b);
  uint32_t slot = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    slot = slot + 1 == kStages ? 0 : slot + 1;
    const uint32_t next = slot * sizeof(Tiles);
    next_has_landed();
    if (tile + 1 < tiles) load_fragments(fragments[1], a + next, b + next);
    copies.issue();
    multiply(d, fragments[0]);
  }
}

// ---- end of the hole

}  // namespace

// ---- kernel

extern "C" __global__ void __launch_bounds__(kThreads, 2) gemm_kernel(tcd::GemmArguments gemm) {
  extern __shared__ __align__(128) unsigned char shared[];
  auto* stages = reinterpret_cast<Tiles*>(shared);  // [kStages]
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int warp_row = warp / kWarpsN * kWarpM, warp_column = warp % kWarpsN * kWarpN;
  const int tile_row = blockIdx.y * kCtaM, tile_column = blockIdx.x * kCtaN;
  const int line = threadIdx.x / kRowChunks, chunk = threadIdx.x % kRowChunks * kChunk;
  Copies copies = {gemm.a + size_t(tile_row + line) * gemm.lda + chunk,
                   gemm.b + size_t(tile_column + line) * gemm.ldb + chunk,
                   size_t(Copies::kRows) * gemm.lda,
                   size_t(Copies::kRows) * gemm.ldb,
                   tcd::ptx::shared_address(stages[0].a.chunk(line, chunk)),
                   gemm.k / kCtaK,
                   0};
  const uint32_t a =
      tcd::ptx::shared_address(stages[0].a.chunk(warp_row + lane % 16, lane / 16 * 8));
  const uint32_t b = tcd::ptx::shared_address(
      stages[0].b.chunk(warp_column + lane / 16 * 8 + lane % 8, lane / 8 % 2 * 8));
  float d[kMmasM][kMmasN][4] = {};
  // Prologue: all slots. The only step of a tile is in registers before the tile is multiplied, so
  // its slot is free a barrier later.
  for (int tile = 0; tile < kStages; ++tile) copies.issue();
  multiply_tiles(d, copies, a, b, gemm.k / kCtaK);
  store_tile(gemm, d, tile_row + warp_row + lane / 4, tile_column + warp_column + lane % 4 * 2);
}
