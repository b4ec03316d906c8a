// 02b: one ldmatrix.x4.trans for the B fragments of two m16n8k16.
//
// D (M×N, f32, row-major) = A (M×K, f16, row-major) × B (K×N, f16, row-major).
// One CTA makes a 64×64 tile of D from 32-deep slices of A and B; each of its 8 warps 16×32.
#pragma once

#include "exercises/device/gemm.cuh"
#include "ptx/ldmatrix.cuh"
#include "ptx/mma.cuh"
#include "ptx/shared_address.cuh"

namespace {

// ---- constants

constexpr int kCtaM = 64, kCtaN = 64, kCtaK = 32;
constexpr int kWarpM = 16, kWarpN = 32;
constexpr int kMmaN = 8, kMmaK = 16;
constexpr int kWarpsM = kCtaM / kWarpM, kWarpsN = kCtaN / kWarpN;
constexpr int kThreads = kWarpsM * kWarpsN * 32;
constexpr int kMmasN = kWarpN / kMmaN;  // accumulator tiles of a warp, side by side

// Rows are padded by 8 halves = 16 bytes: every row start stays 16-byte aligned, for the 16-byte
// copies and ldmatrix. A one-element pad would break exactly that.
constexpr int kPad = 8;
constexpr int kLdA = kCtaK + kPad;
constexpr int kLdB = kCtaN + kPad;

constexpr int kChunk = 8;  // halves in one 16-byte copy
static_assert(kCtaM * kCtaK / kChunk == kThreads, "each thread copies one chunk of A");
static_assert(kCtaK * kCtaN / kChunk == kThreads, "each thread copies one chunk of B");
static_assert((kLdA * sizeof(half)) % 16 == 0 && (kLdB * sizeof(half)) % 16 == 0,
              "16-byte copies need 16-byte aligned rows");

struct Tiles {
  half a[kCtaM * kLdA];  // [64][32 + 8]
  half b[kCtaK * kLdB];  // [32][64 + 8]
};
static_assert(sizeof(Tiles) == 9728, "the account's shared memory: 5,120 for A + 4,608 for B");

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

// One 16-byte chunk of A and one of B per thread; the warp waits for its own data.
__device__ void load_tile(Tiles& tiles, const tcd::GemmArguments& gemm, int tile_row,
                          int tile_column, int k0) {
  const int row_a = threadIdx.x / (kCtaK / kChunk), chunk_a = threadIdx.x % (kCtaK / kChunk);
  const int row_b = threadIdx.x / (kCtaN / kChunk), chunk_b = threadIdx.x % (kCtaN / kChunk);
  const half* from_a = gemm.a + size_t(tile_row + row_a) * gemm.lda + k0 + chunk_a * kChunk;
  const half* from_b = gemm.b + size_t(k0 + row_b) * gemm.ldb + tile_column + chunk_b * kChunk;
  *reinterpret_cast<uint4*>(&tiles.a[row_a * kLdA + chunk_a * kChunk]) =
      *reinterpret_cast<const uint4*>(from_a);
  *reinterpret_cast<uint4*>(&tiles.b[row_b * kLdB + chunk_b * kChunk]) =
      *reinterpret_cast<const uint4*>(from_b);
}

// ---- compute

// Four 8×8 tiles: rows 0–7 and 8–15 of k 0–7, then of k 8–15, the order of m16n8k16's a[0] … a[3].
__device__ void load_fragment_a(uint32_t (&a)[4], const Tiles& tiles, const Coordinates& at,
                                int k) {
  const half* row = &tiles.a[(at.warp_row + at.lane % 16) * kLdA + k + at.lane / 16 * 8];
  tcd::ptx::ldmatrix_x4(a, tcd::ptx::shared_address(row));
}

// ---- the hole: two functions, about twelve lines

// b[0], b[1] are the B fragment of one m16n8k16, b[2], b[3] of the next: rows k … k + 15 of
// tiles.b, columns column … column + 7 and the next eight.
//
// Lanes 0–7 name the rows of the first 8×8 tile, 8–15 of the second, and so on, and the tiles come
// in that order: so lane / 8 % 2 goes down by 8 in k, and lane / 16 right by 8 columns. lane % 16
// is both the row in a tile and the first of these.
__device__ void load_fragments_b(uint32_t (&b)[4], const Tiles& tiles, const Coordinates& at,
                                 int column, int k) {
  const half* row = &tiles.b[(k + at.lane % 16) * kLdB + column + at.lane / 16 * 8];
  tcd::ptx::ldmatrix_x4_trans(b, tcd::ptx::shared_address(row));
}

// 2 steps of k = 16; each 3 ldmatrix.x4 for 4 mma.
__device__ void compute_tile(float (&d)[kMmasN][4], const Tiles& tiles, const Coordinates& at) {
#pragma unroll
  for (int k = 0; k < kCtaK; k += kMmaK) {
    uint32_t a[4];
    load_fragment_a(a, tiles, at, k);
#pragma unroll
    for (int n = 0; n < kMmasN; n += 2) {
      uint32_t b[4];
      load_fragments_b(b, tiles, at, at.warp_column + n * kMmaN, k);
      tcd::ptx::mma_m16n8k16(d[n], a, {b[0], b[1]});
      tcd::ptx::mma_m16n8k16(d[n + 1], a, {b[2], b[3]});
    }
  }
}

// ---- end of the hole

// ---- store

// c0, c1 lie side by side in row `group`; c2, c3 eight rows below. A's rule, once more.
__device__ void store_tile(const tcd::GemmArguments& gemm, const float (&d)[kMmasN][4],
                           const Coordinates& at, int tile_row, int tile_column) {
  const size_t row = tile_row + at.warp_row + at.group;
  const size_t column = tile_column + at.warp_column + at.in_group * 2;
#pragma unroll
  for (int n = 0; n < kMmasN; ++n) {
    float* top = gemm.d + row * gemm.ldd + column + n * kMmaN;
    *reinterpret_cast<float2*>(top) = make_float2(d[n][0], d[n][1]);
    *reinterpret_cast<float2*>(top + size_t{8} * gemm.ldd) = make_float2(d[n][2], d[n][3]);
  }
}

}  // namespace

// ---- kernel

extern "C" __global__ void __launch_bounds__(kThreads) gemm_kernel(tcd::GemmArguments gemm) {
  __shared__ Tiles tiles;
  const Coordinates at = coordinates();
  const int tile_row = blockIdx.y * kCtaM, tile_column = blockIdx.x * kCtaN;
  float d[kMmasN][4] = {};
  for (int k0 = 0; k0 < gemm.k; k0 += kCtaK) {
    load_tile(tiles, gemm, tile_row, tile_column, k0);
    __syncthreads();  // the tile is complete before anyone reads it
    compute_tile(d, tiles, at);
    __syncthreads();  // and read by all before anyone overwrites it
  }
  store_tile(gemm, d, at, tile_row, tile_column);
}
