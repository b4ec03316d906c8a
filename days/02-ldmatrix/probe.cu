// Day 02's probe: one warp, one ldmatrix, and every register handed back by lane.
//
// The cells hold their own numbers, so a value names the place it came from. No arithmetic is in
// the way: what is wrong here is the load.
#include <cuda_fp16.h>

#include "harness/device_buffer.h"
#include "probe.h"
#include "ptx/ldmatrix.cuh"
#include "ptx/shared_address.cuh"

namespace day {

namespace {

constexpr int kTiles = 4, kCells = kTiles * kTileRows * kTileColumns;

struct TileOrder {
  int tile[4];
};

template <Load kLoad>
__device__ void load(uint32_t (&r)[matrices_of(kLoad)], uint32_t row) {
  if constexpr (kLoad == Load::kX1) tcd::ptx::ldmatrix_x1(r, row);
  if constexpr (kLoad == Load::kX2) tcd::ptx::ldmatrix_x2(r, row);
  if constexpr (kLoad == Load::kX4) tcd::ptx::ldmatrix_x4(r, row);
  if constexpr (kLoad == Load::kX4Trans) tcd::ptx::ldmatrix_x4_trans(r, row);
}

// out[lane][register]: the raw registers.
template <Load kLoad>
__global__ void probe(const half* cells, TileOrder order, uint32_t* out) {
  __shared__ __align__(16) half tiles[kCells];
  const int lane = threadIdx.x;
  for (int cell = lane; cell < kCells; cell += 32) tiles[cell] = cells[cell];
  __syncwarp();
  // Lanes 0–7 name the rows of the first tile, 8–15 of the second, …. Where .x1 and .x2 ignore a
  // lane, the wrap gives it a valid address all the same: sm_75 wants one.
  constexpr int kMatrices = matrices_of(kLoad);
  const int tile = order.tile[lane / kTileRows % kMatrices], row = lane % kTileRows;
  uint32_t r[kMatrices];
  load<kLoad>(r, tcd::ptx::shared_address(&tiles[(tile * kTileRows + row) * kTileColumns]));
  for (int i = 0; i < kMatrices; ++i) out[lane * 4 + i] = r[i];
}

}  // namespace

LoadedRegisters run_load(Load load, const std::array<int, 4>& tile_order) {
  std::vector<half> cells(kCells);
  for (int cell = 0; cell < kCells; ++cell) cells[cell] = __float2half(static_cast<float>(cell));
  const tcd::harness::DeviceBuffer<half> device_cells(cells);
  const std::vector<uint32_t> nothing(32 * 4, 0x7fff7fff);  // two NaN
  tcd::harness::DeviceBuffer<uint32_t> device_out(nothing);
  const TileOrder order = {{tile_order[0], tile_order[1], tile_order[2], tile_order[3]}};
  const auto kernel = load == Load::kX1   ? probe<Load::kX1>
                      : load == Load::kX2 ? probe<Load::kX2>
                      : load == Load::kX4 ? probe<Load::kX4>
                                          : probe<Load::kX4Trans>;
  kernel<<<1, 32>>>(device_cells.data(), order, device_out.data());
  tcd::harness::check_launch("the ldmatrix probe");

  const std::vector<uint32_t> raw = device_out.download();
  LoadedRegisters registers;
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 4; ++i) {
      const uint32_t r = raw[lane * 4 + i];
      registers[lane][i][0] = __half2float(__ushort_as_half(static_cast<uint16_t>(r)));
      registers[lane][i][1] = __half2float(__ushort_as_half(static_cast<uint16_t>(r >> 16)));
    }
  }
  return registers;
}

}  // namespace day
