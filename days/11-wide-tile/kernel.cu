// Day 11: a tile of 128×256, CTAs that stay, and whole rows on the way out.
//
// D (M×N, row-major) = A (M×K, f16, row-major) × B (K×N, f16, column-major), summed in f32.
// Whole tiles only, and rows of D on 16-byte boundaries. A row of A that is copied in serves 256
// columns, where it served 128: a quarter fewer copies for as many products. One CTA fills an SM,
// so nobody else covers its beginning and its end: the copies of the next tile of D do.
#include <cuda_fp16.h>

#include "day.h"
#include "ptx/cp_async.cuh"
#include "ptx/ldmatrix.cuh"
#include "ptx/mma.cuh"
#include "ptx/shared_address.cuh"
#include "ptx/store.cuh"
#include "tile/coordinates.cuh"
#include "tile/persistent_grid.h"
#include "tile/rasterize.cuh"

namespace day {

using tcd::tile::Coordinates;

// ---- constants

constexpr int kCtaM = 128, kCtaN = 256;
constexpr int kWarpM = 64, kWarpN = 64;
constexpr int kMmaM = 16, kMmaN = 8;
constexpr int kStepK = 16;  // what one ldmatrix.x4 loads, and one mma takes
constexpr int kWarpsM = kCtaM / kWarpM, kWarpsN = kCtaN / kWarpN;
constexpr int kThreads = kWarpsM * kWarpsN * 32;
constexpr int kMmasM = kWarpM / kMmaM, kMmasN = kWarpN / kMmaN;  // 4 × 8 accumulator tiles a warp

constexpr int kChunk = 8;  // halves in one 16-byte copy

enum class Epilogue { kNone, kBias, kBiasRelu };

// 384 lines of kCtaK halves: 128 rows of A, then 256 columns of B. k runs along the line.
// kCtaK = 64 halves the barriers; 32 fits where shared memory is short.
template <int kCtaK>
struct Tiles {
  static constexpr int kLineBytes = kCtaK * sizeof(half);
  unsigned char data[(kCtaM + kCtaN) * kLineBytes];

  // In bytes, of a 16-byte chunk. A line of 64 halves fills the banks; of 32, two do. The chunk
  // `bytes` further along the line is at this offset ^ bytes, as long as nothing carries.
  static __device__ uint32_t offset(int line, int chunk) {
    constexpr int kLines = 128 / kLineBytes, kChunks = kLineBytes / 16;
    return line * kLineBytes + (chunk ^ line / kLines % kChunks) * 16;
  }
};

struct Fragments {
  uint32_t a[kMmasM][4], b[kMmasN / 2][4];
};

// 16 rows of 64 sums in f16, one for each warp: 2 KiB.
struct Staging {
  half data[kMmaM * kWarpN];
  __device__ half* chunk(int row, int chunk) {
    return &data[row * kWarpN + (chunk ^ row % 8) * kChunk];
  }
};

// All of a CTA's shared memory.
template <int kCtaK, int kStages>
struct Shared {
  Tiles<kCtaK> stages[kStages];
  Staging staging[kWarpsM * kWarpsN];
};

// ---- load

// Where the copies are: kStages − 1 k-tiles ahead of the mma, over the end of one tile of D into
// the next one. Each address is one that was found once a tile, and a constant.
template <int kCtaK, int kStages, typename Output>
struct Copies {
  using Tile = Tiles<kCtaK>;
  static constexpr int kRowChunks = kCtaK / kChunk, kLines = kThreads / kRowChunks;  // at once
  static constexpr int kCopies = (kCtaM + kCtaN) / kLines, kCopiesA = kCtaM / kLines;
  static constexpr int kShares = kCtaK / kStepK / 2;
  static_assert(kLines % 8 == 0, "a thread's chunks are all swizzled alike");
  static_assert(kCtaM % kLines == 0 && kCopies % kShares == 0, "a copy is of A or of B");

  const GemmArguments<Output>& gemm;
  uint32_t to;  // this thread's first chunk in slot 0
  int tiles = gemm.m / kCtaM * (gemm.n / kCtaN), depth = gemm.k / kCtaK;
  size_t step_a = size_t(kLines) * gemm.lda, step_b = size_t(kLines) * gemm.ldb;
  int tile = 0, k = 0, slot = 0;
  const half *a = nullptr, *b = nullptr;  // this thread's first chunks in global memory

  __device__ void go_to(int next_tile) {
    tile = next_tile;
    const auto [row, column] =
        tcd::tile::rasterize(tile, gemm.m / kCtaM, gemm.n / kCtaN, gemm.group);
    const int line = threadIdx.x / kRowChunks, chunk = threadIdx.x % kRowChunks * kChunk;
    a = gemm.a + size_t(row * kCtaM + line) * gemm.lda + chunk;
    b = gemm.b + size_t(column * kCtaN + line) * gemm.ldb + chunk;
  }

  // One of kShares equal parts of the next k-tile: a burst of them all would stand between the
  // ldmatrix and their mma. The last part closes the group, empty when nothing is left.
  __device__ void issue(int share) {
    if (tile < tiles) {
#pragma unroll
      for (int i = share * kCopies / kShares; i < (share + 1) * kCopies / kShares; ++i) {
        const half* from = i < kCopiesA ? a + i * step_a : b + (i - kCopiesA) * step_b;
        const uint32_t offset = slot * uint32_t(sizeof(Tile)) + i * kLines * Tile::kLineBytes;
        tcd::ptx::cp_async_16_of_128(to + offset, from);
      }
    }
    if (share < kShares - 1) return;
    tcd::ptx::cp_async_commit();
    slot = slot + 1 == kStages ? 0 : slot + 1;
    a += kCtaK;
    b += kCtaK;
    if (++k < depth) return;
    k = 0;
    go_to(tile + gridDim.x);
  }
};

// 8 ldmatrix.x4, from this lane's first row of A and first column of B. B first: the first mma want
// one fragment of B and all of A.
template <int kCtaK>
__device__ void load_fragments(Fragments& to, uint32_t a, uint32_t b) {
  constexpr int kNext = 16 * Tiles<kCtaK>::kLineBytes;  // 16 lines on, swizzled alike
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
      const uint32_t b0 = from.b[n / 2][n % 2 * 2], b1 = from.b[n / 2][n % 2 * 2 + 1];
      tcd::ptx::mma_m16n8k16(d[m][n], from.a[m], {b0, b1});
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

// 16 rows of the warp's tile, from the staging area of the warp: a lane stores 16 bytes, eight of
// them a row of 128 without a gap. From registers it would be 16 bytes a row.
__device__ void store_rows(half* to, int ldd, Staging& staging, int lane) {
  __syncwarp();
#pragma unroll
  for (int i = 0; i < kMmaM * kWarpN / kChunk / 32; ++i) {
    const int row = i * 4 + lane / 8, chunk = lane % 8;
    *reinterpret_cast<uint4*>(to + size_t(row) * ldd + chunk * kChunk) =
        *reinterpret_cast<const uint4*>(staging.chunk(row, chunk));
  }
  __syncwarp();
}

template <Epilogue kEpilogue, typename Output>
__device__ void store_tile(const GemmArguments<Output>& gemm, const float (&d)[kMmasM][kMmasN][4],
                           const Coordinates& at, int row, int column, Staging& staging) {
  constexpr bool kStaged = sizeof(Output) == sizeof(half);  // f32, for the gate, goes straight
  row += at.warp_row;
  column += at.warp_column;
  Output* const corner = gemm.d + size_t(row) * gemm.ldd + column;
  float2 bias[kMmasN] = {};
#pragma unroll
  for (int n = 0; kEpilogue != Epilogue::kNone && n < kMmasN; ++n) {
    bias[n] = *reinterpret_cast<const float2*>(gemm.bias + column + n * kMmaN + at.in_group * 2);
  }
#pragma unroll
  for (int m = 0; m < kMmasM; ++m) {
#pragma unroll
    for (int n = 0; n < kMmasN; ++n) {
#pragma unroll
      for (int below = 0; below < 2; ++below) {
        const int line = at.group + below * 8;
        Output* to = corner + size_t(m * kMmaM + line) * gemm.ldd + n * kMmaN + at.in_group * 2;
        if constexpr (kStaged) to = staging.chunk(line, n) + at.in_group * 2;
        tcd::ptx::store_pair(to, finish<kEpilogue>(d[m][n][below * 2], bias[n].x),
                             finish<kEpilogue>(d[m][n][below * 2 + 1], bias[n].y));
      }
    }
    if constexpr (kStaged) {
      store_rows(corner + size_t(m * kMmaM) * gemm.ldd, gemm.ldd, staging, at.lane);
    }
  }
}

// ---- kernel

template <int kCtaK, int kStages, Epilogue kEpilogue, typename Output>
__global__ void __launch_bounds__(kThreads, 1) gemm_kernel(GemmArguments<Output> gemm) {
  constexpr int kSteps = kCtaK / kStepK;
  using Tile = Tiles<kCtaK>;
  extern __shared__ __align__(128) unsigned char bytes[];
  auto& shared = *reinterpret_cast<Shared<kCtaK, kStages>*>(bytes);
  const uint32_t stages = tcd::ptx::shared_address(shared.stages);
  const auto at = tcd::tile::coordinates<kWarpsN, kWarpM, kWarpN>();
  using Copies = Copies<kCtaK, kStages, Output>;
  Copies copies = {gemm, stages + Tile::offset(threadIdx.x / Copies::kRowChunks,
                                               threadIdx.x % Copies::kRowChunks)};
  copies.go_to(blockIdx.x);
  for (int stage = 0; stage < kStages - 1; ++stage) {
#pragma unroll
    for (int share = 0; share < Copies::kShares; ++share) copies.issue(share);
  }
  const auto next_has_landed = [] {
    tcd::ptx::cp_async_wait<kStages - 2>();
    __syncthreads();
  };
  // Where this lane's rows of A and columns of B are in a slot, for each k-step: the way along a
  // swizzled line is an XOR. Left to the compiler, it stands among the ldmatrix and costs 4 %.
  uint32_t a[kSteps], b[kSteps];
#pragma unroll
  for (int step = 0; step < kSteps; ++step) {
    const uint32_t along = step * kStepK * sizeof(half);
    const int column = at.lane / 16 * 8 + at.lane % 8;
    a[step] = along ^ (stages + Tile::offset(at.warp_row + at.lane % 16, at.lane / 16));
    b[step] = along ^ (stages + Tile::offset(kCtaM + at.warp_column + column, at.lane / 8 % 2));
  }
  Fragments fragments[2];
  next_has_landed();
  load_fragments<kCtaK>(fragments[0], a[0], b[0]);
  // k-tiles until this CTA has nothing left. Then it loads the first fragments of the last one once
  // more: cheaper than a branch around eight ldmatrix, which would also hold the scheduler back.
  int left = (copies.tiles - 1 - int(blockIdx.x)) / int(gridDim.x) * copies.depth + copies.depth;
  uint32_t slot = 0;
  for (int tile = blockIdx.x; tile < copies.tiles; tile += gridDim.x) {
    float d[kMmasM][kMmasN][4] = {};
    for (int k = 0; k < copies.depth; ++k) {
      const uint32_t now = slot * sizeof(Tile);
      slot = slot + 1 == kStages ? 0 : slot + 1;
      const uint32_t next = --left == 0 ? now : slot * sizeof(Tile);
#pragma unroll
      for (int step = 0; step < kSteps; ++step) {
        const bool last = step == kSteps - 1;
        const int coming = (step + 1) % kSteps;
        if (last) next_has_landed();
        load_fragments<kCtaK>(fragments[coming % 2], a[coming] + (last ? next : now),
                              b[coming] + (last ? next : now));
        if (step % 2 == 0) copies.issue(step / 2);
        multiply(d, fragments[step % 2]);
      }
    }
    const auto [row, column] =
        tcd::tile::rasterize(tile, gemm.m / kCtaM, gemm.n / kCtaN, gemm.group);
    store_tile<kEpilogue>(gemm, d, at, row * kCtaM, column * kCtaN,
                          shared.staging[threadIdx.x / 32]);
  }
}

// ---- launch

template <int kCtaK, int kStages, Epilogue kEpilogue, typename Output>
void launch_gemm(const GemmArguments<Output>& gemm) {
  const auto kernel = gemm_kernel<kCtaK, kStages, kEpilogue, Output>;
  constexpr int kBytes = sizeof(Shared<kCtaK, kStages>);
  tcd::allow_shared_memory(kernel, kBytes);
  const int tiles = gemm.m / kCtaM * (gemm.n / kCtaN);
  kernel<<<tcd::tile::persistent_grid(kernel, kThreads, kBytes, tiles), kThreads, kBytes>>>(gemm);
}

}  // namespace day
