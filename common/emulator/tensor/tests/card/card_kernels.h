// The instructions of tile_ops.def on a device, one warp a tile.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace tcd::emu::card {

// in: for each tile the A, B and C registers, 32 words each; out: the D registers. op: its number
// in tile_ops(). False if the toolkit that built this program cannot compile the instruction.
bool launch_tiles(int op, const uint32_t* in, uint32_t* out, int tiles, cudaStream_t stream);

}  // namespace tcd::emu::card
