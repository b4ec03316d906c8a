// A GEMM in the small, with all that one has: three stages of cp.async, XOR swizzle, ldmatrix, mma,
// edges of any M and N, CTAs that do several tiles, sums staged through shared memory, bias, ReLU.
// D (f16, row-major) = relu(A (f16, row-major) × B (f16, column-major) + bias), and one slip.
#pragma once

#include <cuda_fp16.h>

#include "checks/tests/mistakes/gemm_slips.h"
#include "checks/tests/mistakes/result_check.h"
#include "gates/gemm_gate.h"
#include "gates/inputs.h"
#include "gates/product.h"
#include "ptx/cp_async.cuh"
#include "ptx/ldmatrix.cuh"
#include "ptx/mma.cuh"
#include "ptx/shared_address.cuh"

namespace mistakes_test {

constexpr int kTileM = 32, kTileN = 32, kTileK = 32;
constexpr int kWarpN = 16;  // two warps side by side
constexpr int kMmasM = kTileM / 16, kMmasN = kWarpN / 8;
constexpr int kStages = 3;
constexpr int kChunk = 8;  // halves of a 16-byte copy
constexpr int kGroup = 2;  // rows of tiles that are walked together

struct Gemm {
  int m, n, k;
  const half* a;
  int lda;
  const half* b;
  int ldb;
  half* d;
  int ldd;
  const float* bias;
};

struct Operand {
  half data[kTileM * kTileK];
  template <Slip kSlip, bool kLoads>
  __device__ half* chunk(int row, int k) {
    const int mask = kSlip == Slip::kSwizzleMask && kLoads ? 1 : 3;
    const bool plain = kSlip == Slip::kSwizzleOneSide && kLoads;
    return &data[row * kTileK + (plain ? k : k ^ (row >> 1 & mask) * kChunk)];
  }
};
struct Tiles {
  Operand a, b;
};
constexpr int kPitch = kTileN + 8;  // of the staged sums
static_assert(kTileM == kTileN && kTileM * kPitch * sizeof(half) <= sizeof(Tiles));

using Sums = float[kMmasM][kMmasN][4];

template <Slip kSlip>
__device__ void load_operand(Operand& tile, const half* from, int ld, int rows, int depth) {
  for (int i = threadIdx.x; i < kTileM * kTileK / kChunk; i += kThreads) {
    const int row = i / (kTileK / kChunk), k = i % (kTileK / kChunk) * kChunk;
    const uint32_t to = tcd::ptx::shared_address(tile.chunk<kSlip, false>(row, k));
    const half* chunk = from + row * ld + k;
    const bool has_row = kSlip == Slip::kLoadOneRowMore ? row <= rows : row < rows;
    const bool inside = has_row && k < depth;
    int bytes = inside ? 16 : 0;
    if (kSlip == Slip::kZeroFillElements) bytes = inside ? min(16, depth - k) : 0;
    if (kSlip == Slip::kSkippedCopies && !inside) continue;
    tcd::ptx::cp_async_16_zero_fill(to, chunk, bytes);
  }
}

template <Slip kSlip>
__device__ void compute(Sums& d, Tiles& tiles, int lane, int warp_column) {
  Operand& tile_a = kSlip == Slip::kOperandsExchanged ? tiles.b : tiles.a;
  for (int k = 0; k < kTileK; k += 16) {
    uint32_t a[kMmasM][4], b[4];
    for (int m = 0; m < kMmasM; ++m) {
      const int row = kSlip == Slip::kRowPointer ? lane / 2 : lane % 16;
      half* from = tile_a.chunk<kSlip, true>(m * 16 + row, k + lane / 16 * 8);
      tcd::ptx::ldmatrix_x4(a[m], tcd::ptx::shared_address(from));
      if (kSlip == Slip::kFragmentRows) {
        const uint32_t kept = a[m][1];
        a[m][1] = a[m][2], a[m][2] = kept;
      }
    }
    half* from =
        tiles.b.chunk<kSlip, true>(warp_column + lane / 16 * 8 + lane % 8, k + lane / 8 % 2 * 8);
    const uint32_t rows = tcd::ptx::shared_address(from);
    if (kSlip == Slip::kTransposed) tcd::ptx::ldmatrix_x4_trans(b, rows);
    if (kSlip != Slip::kTransposed) tcd::ptx::ldmatrix_x4(b, rows);
    for (int m = 0; m < kMmasM; ++m) {
      for (int n = 0; n < kMmasN; ++n) {
        const int first = kSlip == Slip::kFragmentHalves ? 1 : 0;
        const uint32_t pair[2] = {b[n * 2 + first], b[n * 2 + 1 - first]};
        if (kSlip == Slip::kHalfAccumulators) {
          uint32_t sums[2];
          for (int i = 0; i < 2; ++i) {
            const half2 both = __floats2half2_rn(d[m][n][2 * i], d[m][n][2 * i + 1]);
            sums[i] = reinterpret_cast<const uint32_t&>(both);
          }
          tcd::ptx::mma_m16n8k16(sums, a[m], pair);
          for (int i = 0; i < 2; ++i) {
            const float2 both = __half22float2(reinterpret_cast<const half2&>(sums[i]));
            d[m][n][2 * i] = both.x, d[m][n][2 * i + 1] = both.y;
          }
        } else {
          tcd::ptx::mma_m16n8k16(d[m][n], a[m], pair);
        }
      }
    }
  }
}

template <Slip kSlip>
__device__ half finish(float sum, float bias) {
  if (kSlip == Slip::kReluFirst) return __float2half(fmaxf(sum, 0.0f) + bias);
  if (kSlip == Slip::kRoundedTwice) sum = __half2float(__float2half(sum));
  sum += bias;
  return __float2half(sum < 0 ? 0.0f : sum);
}

// A warp's sums, finished, to the staging area.
template <Slip kSlip>
__device__ void stage_sums(half* staged, const Sums& d, const Gemm& gemm, int lane, int warp_column,
                           int tile_column) {
  for (int n = 0; n < kMmasN; ++n) {
    const int column = warp_column + n * 8 + lane % 4 * 2;
    float bias[2];
    for (int i = 0; i < 2; ++i) {
      const int at = kSlip == Slip::kBiasColumn ? column + i : tile_column + column + i;
      bias[i] = gemm.bias[min(at, gemm.n - 1)];
    }
    for (int m = 0; m < kMmasM; ++m) {
      for (int i = 0; i < 4; ++i) {
        const int upper = kSlip == Slip::kAccumulatorRows ? 1 : 0;
        const int row = m * 16 + lane / 4 + (i / 2 ^ upper) * 8;
        const int side = kSlip == Slip::kPairExchanged ? 1 - i % 2 : i % 2;
        const half value = finish<kSlip>(d[m][n][i], bias[i % 2]);
        staged[row * kPitch + column + side] = value;
      }
    }
  }
}

// From the staging area to D, two neighbours at a time where both are inside.
template <Slip kSlip>
__device__ void store_tile(const Gemm& gemm, const half* staged, int tile_row, int tile_column) {
  constexpr int kColumns = kSlip == Slip::kHalfOfTheTile ? kTileN / 2 : kTileN;
  for (int i = threadIdx.x; i < kTileM * kColumns / 2; i += kThreads) {
    const int row = i / (kColumns / 2), column = i % (kColumns / 2) * 2;
    const half* from = staged + row * kPitch + column;
    const half2 pair = *reinterpret_cast<const half2*>(from);
    const int left = gemm.n - tile_column - column;  // columns that are there
    const bool has_row =
        kSlip == Slip::kStoreOneRowMore ? tile_row + row <= gemm.m : tile_row + row < gemm.m;
    if (!has_row || left <= 0) continue;
    if (kSlip == Slip::kStridesExchanged) {
      gemm.d[(tile_column + column) * gemm.ldd + tile_row + row] = pair.x;
      continue;
    }
    half* to = gemm.d + (tile_row + row) * gemm.ldd + tile_column + column;
    if (left >= 2 || kSlip == Slip::kPairAtOddEdge) {
      *reinterpret_cast<half2*>(to) = pair;
    } else {
      *to = pair.x;
    }
  }
}

// Tile `index`: groups of kGroup rows of tiles, walked column by column.
template <Slip kSlip>
__device__ int2 place_of_tile(int index, int rows, int columns) {
  if (kSlip == Slip::kTilesConfused) return {index / rows, index % rows};
  const int first = index / (kGroup * columns) * kGroup;
  const int here = kSlip == Slip::kNotBijective ? kGroup : min(kGroup, rows - first);
  const int in_group = index - first * columns;
  return {first + in_group % here, in_group / here};
}

template <Slip kSlip>
__global__ void __launch_bounds__(kThreads) gemm_kernel(Gemm gemm) {
  extern __shared__ __align__(128) unsigned char shared[];
  auto* stages = reinterpret_cast<Tiles*>(shared);
  auto* staged = reinterpret_cast<half*>(shared);  // over the first stage
  const int lane = threadIdx.x % 32;
  const int warp_column = threadIdx.x / (kSlip == Slip::kWarpTile ? 64 : 32) * kWarpN;
  const int rows = (gemm.m + kTileM - 1) / kTileM, columns = (gemm.n + kTileN - 1) / kTileN;
  int steps = (gemm.k + kTileK - 1) / kTileK;
  if (kSlip == Slip::kTailDropped) steps = gemm.k / kTileK;
  if (kSlip == Slip::kOneTileMore) steps += 1;
  Sums d = {};
  for (int tile = blockIdx.x; tile < rows * columns; tile += gridDim.x) {
    const int2 place = place_of_tile<kSlip>(tile, rows, columns);
    const int tile_row = place.x * kTileM, tile_column = place.y * kTileN;
    if (kSlip != Slip::kSumsKept || tile == blockIdx.x) {
      for (auto& row : d) {
        for (auto& sums : row) sums[0] = sums[1] = sums[2] = sums[3] = 0;
      }
    }
    const auto fetch = [&](int step) {
      if (step < steps) {
        const int k = step * kTileK;
        int depth = kSlip == Slip::kDepthOfPadding ? gemm.lda - k : gemm.k - k;
        if (kSlip == Slip::kOneTileMore && depth <= 0) depth = kTileK;
        const int lda = kSlip == Slip::kLeadingDimension ? gemm.k : gemm.lda;
        Tiles& to = stages[step % kStages];
        load_operand<kSlip>(to.a, gemm.a + tile_row * lda + k, lda, gemm.m - tile_row, depth);
        load_operand<kSlip>(to.b, gemm.b + tile_column * gemm.ldb + k, gemm.ldb,
                            gemm.n - tile_column, depth);
      }
      if (kSlip != Slip::kDrainUncommitted || step < steps) tcd::ptx::cp_async_commit();
    };
    for (int step = 0; step < kStages - (kSlip == Slip::kPrologueShort ? 2 : 1); ++step) {
      fetch(step);  // reported: prologue
    }
    for (int step = 0; step < steps; ++step) {
      tcd::ptx::cp_async_wait<kStages - 2>();
      __syncthreads();
      fetch(step + kStages - 1);  // reported: fetch
      const int slot = (step + (kSlip == Slip::kStageIndex ? 1 : 0)) % kStages;
      compute<kSlip>(d, stages[slot], lane, warp_column);  // reported: compute
    }
    if (kSlip != Slip::kEpilogueEarly) __syncthreads();  // the first stage has been read
    stage_sums<kSlip>(staged, d, gemm, lane, warp_column, tile_column);  // reported: stage_sums
    if (kSlip != Slip::kStagingUnordered) __syncthreads();
    store_tile<kSlip>(gemm, staged, tile_row, tile_column);  // reported: store_tile
    if (kSlip != Slip::kPrologueEarly) __syncthreads();      // the next copies go there
  }
}

// --- The host side ---------------------------------------------------------------------------

// The first product of each sum is 224, so that a sum needs more bits than a half has, and the bias
// takes it away again: results near 20, some cut off at zero.
inline void raise_first_product(tcd::HalfMatrix& a, tcd::HalfMatrix& b) {
  for (int row = 0; row < a.layout.rows; ++row) a.set(row, 0, 64.0f);
  for (int column = 0; column < b.layout.cols; ++column) b.set(0, column, 3.5f);
}

template <Slip kSlip>
Outcome run_gemm(bool wrong) {
  constexpr int kM = 70, kN = 109, kK = 104;  // 3 × 4 tiles of 4 steps, no side a multiple of 32
  const int a_padding = wrong && kSlip == Slip::kUnalignedRows ? 4 : 8;
  const int d_padding = wrong && kSlip == Slip::kOddLeadingDimension ? 10 : 11;
  tcd::HalfMatrix a = tcd::quarters(tcd::row_major(kM, kK, a_padding), 1);
  tcd::HalfMatrix b = tcd::quarters(tcd::column_major(kK, kN, 16), 2);
  raise_first_product(a, b);
  std::vector<float> bias(kN);
  for (int i = 0; i < kN; ++i) bias[i] = -204 + 0.25f * static_cast<float>(i % 33);
  const tcd::MatrixLayout layout = tcd::row_major(kM, kN, d_padding);
  tcd::GuardedOutput output(tcd::OutputType::kF16, layout, 16384);
  output.fill();
  const OnDevice<uint16_t> device_a(a.bits), device_b(b.bits);
  const OnDevice<float> device_bias(bias);
  const OnDevice<std::byte> device_d(output.bytes());
  cudaMemcpy(device_d.get(), output.storage(), output.bytes(), cudaMemcpyHostToDevice);

  const Gemm gemm = {kM,
                     kN,
                     kK,
                     reinterpret_cast<const half*>(device_a.get()),
                     static_cast<int>(a.layout.ld),
                     reinterpret_cast<const half*>(device_b.get()),
                     static_cast<int>(b.layout.ld),
                     reinterpret_cast<half*>(device_d.get() + output.payload_offset()),
                     static_cast<int>(layout.ld),
                     device_bias.get()};
  const int stages = wrong && kSlip == Slip::kSharedTooSmall ? kStages - 1 : kStages;
  (wrong ? gemm_kernel<kSlip>
         : gemm_kernel<Slip::kNone>)<<<3, kThreads, stages * sizeof(Tiles)>>>(gemm);
  if (const std::string error = cuda_error(); !error.empty()) return {false, error};
  cudaMemcpy(output.storage(), device_d.get(), output.bytes(), cudaMemcpyDeviceToHost);

  const tcd::Product product = tcd::double_reference(a, b);
  const tcd::GemmCase known = {&a, &b, {&product, tcd::OutputType::kF16, {bias, true}}, {}};
  return outcome(
      {tcd::gemm_gate("results", known, output.view()), output.check_guards("guard bands")});
}

}  // namespace mistakes_test

inline std::vector<Mistake> gemm_mistakes() {
  using namespace mistakes_test;
  const std::string early = "asynchronous copy read too early: ";
  const std::string race = "race in shared memory: ";
  const std::string illegal = "illegal address: ";
  std::vector<Mistake> all = {
      {"stage_index", "the tile is computed from the next tile's stage", early, "compute", "",
       run_gemm<Slip::kStageIndex>},
      {"prologue_one_short", "the prologue starts one tile less than the waits assume", early,
       "compute", "", run_gemm<Slip::kPrologueShort>},
      {"drain_without_commit", "no empty commits once there is nothing left to fetch", early,
       "compute", "", run_gemm<Slip::kDrainUncommitted>},
      {"swizzle_on_one_side", "the tile is written swizzled and read plainly", "", "", "",
       run_gemm<Slip::kSwizzleOneSide>},
      {"swizzle_mask", "the swizzle that reads has another mask than the one that writes", "", "",
       "", run_gemm<Slip::kSwizzleMask>},
      {"copies_skipped", "copies past the edge skipped, where zeros should come", "", "", "differ",
       run_gemm<Slip::kSkippedCopies>},
      {"zero_fill_in_elements", "bytes to copy at the edge given in elements", "", "", "",
       run_gemm<Slip::kZeroFillElements>},
      {"load_predicate_off_by_one", "loads row <= rows, and does not use the last one", illegal,
       "prologue", "", run_gemm<Slip::kLoadOneRowMore>},
      {"k_up_to_leading_dimension", "k runs to the leading dimension, over the padding", "", "", "",
       run_gemm<Slip::kDepthOfPadding>},
      {"one_k_tile_more", "one k-tile too many", illegal, "fetch", "",
       run_gemm<Slip::kOneTileMore>},
      {"k_tail_dropped", "k / 32 tiles where k is no multiple of 32", "", "", "",
       run_gemm<Slip::kTailDropped>},
      {"leading_dimension", "rows of A taken k apart, not lda", "", "", "",
       run_gemm<Slip::kLeadingDimension>},
      {"fragment_rows_exchanged", "a1 and a2 exchanged", "", "", "", run_gemm<Slip::kFragmentRows>},
      {"fragment_halves_exchanged", "b0 and b1 exchanged", "", "", "",
       run_gemm<Slip::kFragmentHalves>},
      {"row_pointer", "ldmatrix gets lane / 2 as its row, not lane % 16", "", "", "",
       run_gemm<Slip::kRowPointer>},
      {"needless_trans", "ldmatrix.trans for a tile that holds B by columns", "", "", "",
       run_gemm<Slip::kTransposed>},
      {"operands_exchanged", "the A fragment is loaded from B's tile", "", "", "",
       run_gemm<Slip::kOperandsExchanged>},
      {"half_accumulators", "sums kept in FP16", "", "", "", run_gemm<Slip::kHalfAccumulators>},
      {"sums_kept", "sums not set to zero for a CTA's second tile", "", "", "",
       run_gemm<Slip::kSumsKept>},
      {"accumulator_rows", "c0, c1 stored eight rows down, c2, c3 up", "", "", "",
       run_gemm<Slip::kAccumulatorRows>},
      {"pair_exchanged", "the two neighbours of a register stored the other way round", "", "", "",
       run_gemm<Slip::kPairExchanged>},
      {"warp_tile", "both warps compute the same half of the tile", "", "", "",
       run_gemm<Slip::kWarpTile>},
      {"epilogue_too_early", "sums staged over a stage that is still being read", race + "write",
       "stage_sums", "may still be reading", run_gemm<Slip::kEpilogueEarly>},
      {"staging_unordered", "staged sums read with no barrier after they were written",
       race + "read", "store_tile", "", run_gemm<Slip::kStagingUnordered>},
      {"prologue_too_early", "the next tile's first copies go where staged sums are still read",
       race + "a cp.async into", "prologue", "may still be reading",
       run_gemm<Slip::kPrologueEarly>},
      {"bias_column", "bias of the column in the tile, not in the matrix", "", "", "",
       run_gemm<Slip::kBiasColumn>},
      {"relu_before_bias", "ReLU before the bias", "", "", "", run_gemm<Slip::kReluFirst>},
      {"rounded_twice", "the sum rounded to half, and again with the bias", "", "", "",
       run_gemm<Slip::kRoundedTwice>},
      {"half_of_the_tile", "half of each tile's columns stored", "", "", "",
       run_gemm<Slip::kHalfOfTheTile>},
      {"store_predicate_off_by_one", "stores row <= M", "", "", "",
       run_gemm<Slip::kStoreOneRowMore>},
      {"pair_at_odd_edge", "pairs stored over an odd edge", "", "", "",
       run_gemm<Slip::kPairAtOddEdge>},
      {"strides_exchanged", "D addressed by column · ld + row", "", "", "",
       run_gemm<Slip::kStridesExchanged>},
      {"m_and_n_confused", "tile index divided by the tiles of the wrong side", "", "", "",
       run_gemm<Slip::kTilesConfused>},
      {"order_not_bijective", "the last, smaller group of tile rows walked like a full one", "", "",
       "", run_gemm<Slip::kNotBijective>},
      {"odd_leading_dimension", "pairs stored to rows that start at odd addresses",
       "misaligned address: write of 4 bytes", "store_tile", "",
       run_gemm<Slip::kOddLeadingDimension>},
      {"rows_of_copies_misaligned", "cp.async of 16 bytes from rows that are 8-byte aligned",
       "misaligned address: asynchronous copy of 16 bytes", "prologue", "",
       run_gemm<Slip::kUnalignedRows>},
      {"shared_memory_too_small", "one stage less of shared memory than the kernel uses", illegal,
       "fetch", "dynamic", run_gemm<Slip::kSharedTooSmall>},
  };
  for (Mistake& mistake : all) mistake.twin = "gemm";
  return all;
}
