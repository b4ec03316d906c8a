// Day 10: the fragments of the next k-step are loaded while this one is multiplied.
//
// D (M×N, row-major) = A (M×K, f16, row-major) × B (K×N, f16, column-major), summed in f32.
// Whole tiles only: the edges are Day 08's, and would read here as they do there.
// A second set of fragments costs 32 registers. It buys the latency of ldmatrix, also across the
// barrier: the first fragments of the next tile are on their way when its mma begin.
#include <cuda_fp16.h>

#include "day.h"
#include "ptx/cp_async.cuh"
#include "ptx/ldmatrix.cuh"
#include "ptx/mma.cuh"
#include "ptx/shared_address.cuh"
#include "ptx/store.cuh"
#include "tile/coordinates.cuh"
#include "tile/rasterize.cuh"

namespace day {

using tcd::tile::Coordinates;

// ---- constants

constexpr int kCtaM = 128, kCtaN = 128, kCtaK = 32;
constexpr int kWarpM = 64, kWarpN = 64;
constexpr int kMmaM = 16, kMmaN = 8;
constexpr int kStepK = 16;  // what one ldmatrix.x4 loads
constexpr int kSteps = kCtaK / kStepK;
constexpr int kWarpsM = kCtaM / kWarpM, kWarpsN = kCtaN / kWarpN;
constexpr int kThreads = kWarpsM * kWarpsN * 32;
constexpr int kMmasM = kWarpM / kMmaM, kMmasN = kWarpN / kMmaN;  // 4 × 8 accumulator tiles a warp

constexpr int kChunk = 8;  // halves in one 16-byte copy
constexpr int kRowChunks = kCtaK / kChunk;
static_assert(kCtaM == kCtaN, "one loop copies A and B");
static_assert(kCtaM * kRowChunks % kThreads == 0, "every thread copies the same number of chunks");
static_assert(kMmasN % 2 == 0, "one ldmatrix.x4 loads B for two columns of mma");
static_assert(kSteps % 2 == 0, "each tile begins with the fragments of the same parity");

enum class Mma { kK16, kTwoK8 };
enum class Epilogue { kNone, kBias, kBiasRelu };

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

// What a warp multiplies in one k-step, each lane its part: 64×16 of A and 16×64 of B.
struct Fragments {
  uint32_t a[kMmasM][4], b[kMmasN / 2][4];
};

// ---- load

// The copies of one k-tile after the other: four 16-byte chunks of A and four of B a thread. Each
// address is one that was found once, and a constant; the second set of fragments needs the
// registers.
template <int kStages>
struct Copies {
  static constexpr int kRows = kThreads / kRowChunks;  // at once
  static_assert(kRows % 8 == 0, "a thread's chunks are all swizzled alike");
  const half *a, *b;  // this thread's first chunks
  size_t step_a, step_b;
  uint32_t to;  // the first chunk of A in slot 0
  int tiles, slot = 0;

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

// 8 ldmatrix.x4 from this lane's addresses at the tile's first k, B first: the first mma want one
// fragment of B and all of A. The swizzle is an XOR, so the way along a row is one, too; 16 rows
// down it is the same. What was 64-bit arithmetic for each fragment is two XORs.
__device__ void load_fragments(Fragments& to, uint32_t a, uint32_t b, int step) {
  constexpr int kNext = 16 * kCtaK * sizeof(half);
  const int along = step * kStepK * sizeof(half);
#pragma unroll
  for (int n = 0; n < kMmasN / 2; ++n) tcd::ptx::ldmatrix_x4(to.b[n], (b ^ along) + n * kNext);
#pragma unroll
  for (int m = 0; m < kMmasM; ++m) tcd::ptx::ldmatrix_x4(to.a[m], (a ^ along) + m * kNext);
}

// ---- compute

// 32 m16n8k16, or 64 m16n8k8. Column after column, down and up again: neighbours share a fragment.
template <Mma kMma>
__device__ void multiply(float (&d)[kMmasM][kMmasN][4], const Fragments& from) {
#pragma unroll
  for (int n = 0; n < kMmasN; ++n) {
#pragma unroll
    for (int i = 0; i < kMmasM; ++i) {
      const int m = n % 2 == 0 ? i : kMmasM - 1 - i;
      const uint32_t(&a)[4] = from.a[m];
      const uint32_t b0 = from.b[n / 2][n % 2 * 2], b1 = from.b[n / 2][n % 2 * 2 + 1];
      if (kMma == Mma::kK16) {
        tcd::ptx::mma_m16n8k16(d[m][n], a, {b0, b1});
      } else {
        tcd::ptx::mma_m16n8k8(d[m][n], {a[0], a[1]}, {b0});
        tcd::ptx::mma_m16n8k8(d[m][n], {a[2], a[3]}, {b1});
      }
    }
  }
}

// ---- store

// What happens to a sum before it is rounded. A NaN stays NaN: fmaxf would make it 0.
template <Epilogue kEpilogue>
__device__ float finish(float sum, float bias) {
  if (kEpilogue != Epilogue::kNone) sum += bias;
  return kEpilogue == Epilogue::kBiasRelu && sum < 0 ? 0.0f : sum;
}

template <Epilogue kEpilogue, typename Output>
__device__ void store_tile(const GemmArguments<Output>& gemm, const float (&d)[kMmasM][kMmasN][4],
                           const Coordinates& at, int tile_row, int tile_column) {
#pragma unroll
  for (int n = 0; n < kMmasN; ++n) {
    const int column = tile_column + at.warp_column + n * kMmaN + at.in_group * 2;
    float2 bias = {};  // for all rows below: one load
    if (kEpilogue != Epilogue::kNone) {
      bias = *reinterpret_cast<const float2*>(gemm.bias + column);
    }
#pragma unroll
    for (int m = 0; m < kMmasM; ++m) {
#pragma unroll
      for (int half_tile = 0; half_tile < 2; ++half_tile) {
        const int row = tile_row + at.warp_row + m * kMmaM + at.group + half_tile * 8;
        tcd::ptx::store_pair(gemm.d + size_t(row) * gemm.ldd + column,
                             finish<kEpilogue>(d[m][n][half_tile * 2], bias.x),
                             finish<kEpilogue>(d[m][n][half_tile * 2 + 1], bias.y));
      }
    }
  }
}

// ---- kernel

// kAhead: one set of fragments is multiplied, the other is being loaded. The barrier moves before
// the last k-step of a tile: by then everyone's last fragments of the tile are in registers.
template <Mma kMma, bool kAhead, int kStages, Epilogue kEpilogue, typename Output>
__global__ void __launch_bounds__(kThreads, 2) gemm_kernel(GemmArguments<Output> gemm) {
  static_assert(kStages > 1, "the copies need a slot that nobody reads");
  extern __shared__ __align__(128) unsigned char shared[];
  auto* stages = reinterpret_cast<Tiles*>(shared);  // [kStages]
  const auto at = tcd::tile::coordinates<kWarpsN, kWarpM, kWarpN>();
  const auto [row, column] =
      tcd::tile::rasterize(blockIdx.x, gemm.m / kCtaM, gemm.n / kCtaN, gemm.group);
  const int tile_row = row * kCtaM, tile_column = column * kCtaN;
  const int tiles = gemm.k / kCtaK;
  float d[kMmasM][kMmasN][4] = {};
  Fragments fragments[2];
  const int line = threadIdx.x / kRowChunks, chunk = threadIdx.x % kRowChunks * kChunk;
  Copies<kStages> copies = {gemm.a + size_t(tile_row + line) * gemm.lda + chunk,
                            gemm.b + size_t(tile_column + line) * gemm.ldb + chunk,
                            size_t(Copies<kStages>::kRows) * gemm.lda,
                            size_t(Copies<kStages>::kRows) * gemm.ldb,
                            tcd::ptx::shared_address(stages[0].a.chunk(line, chunk)),
                            tiles};
  const auto next_has_landed = [] {
    tcd::ptx::cp_async_wait<kStages - 2>();
    __syncthreads();
  };
  // This lane's rows of A and columns of B for ldmatrix, in the first slot.
  const uint32_t a =
      tcd::ptx::shared_address(stages[0].a.chunk(at.warp_row + at.lane % 16, at.lane / 16 * 8));
  const uint32_t b = tcd::ptx::shared_address(
      stages[0].b.chunk(at.warp_column + at.lane / 16 * 8 + at.lane % 8, at.lane / 8 % 2 * 8));
  for (int tile = 0; tile < kStages - 1; ++tile) copies.issue();  // prologue: all slots but one
  if (kAhead) next_has_landed();
  if (kAhead) load_fragments(fragments[0], a, b, 0);
  uint32_t slot = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    const uint32_t now = slot * sizeof(Tiles);
    slot = slot + 1 == kStages ? 0 : slot + 1;
    const uint32_t next = slot * sizeof(Tiles);
    if (!kAhead) next_has_landed();
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      const bool last = step == kSteps - 1;
      Fragments& coming = fragments[(step + 1) % 2];
      if (!kAhead) load_fragments(fragments[step % 2], a + now, b + now, step);
      if (kAhead && !last) load_fragments(coming, a + now, b + now, step + 1);
      if (kAhead && last) next_has_landed();
      if (kAhead && last && tile + 1 < tiles) load_fragments(coming, a + next, b + next, 0);
      // Behind the loads that the mma wait for, into the slot of tile − 1.
      if (step == 0) copies.issue();
      multiply<kMma>(d, fragments[step % 2]);
    }
  }
  store_tile<kEpilogue>(gemm, d, at, tile_row, tile_column);
}

// ---- launch

template <Mma kMma, bool kAhead, int kStages, Epilogue kEpilogue, typename Output>
void launch_gemm(const GemmArguments<Output>& gemm) {
  const auto kernel = gemm_kernel<kMma, kAhead, kStages, kEpilogue, Output>;
  constexpr int kBytes = kStages * sizeof(Tiles);
  tcd::allow_shared_memory(kernel, kBytes);
  kernel<<<gemm.m / kCtaM*(gemm.n / kCtaN), kThreads, kBytes>>>(gemm);
}

}  // namespace day
