// CUTLASS's GEMM for sm_80 (multistage cp.async, ldmatrix, mma.sync), made from its own parts.
#pragma once

#include <cutlass/epilogue/thread/linear_combination.h>
#include <cutlass/gemm/device/gemm_universal.h>

#include <algorithm>
#include <vector>

#include "peer.h"

namespace tcd::peer {

// Tile rows walked together, for the next launch. CUTLASS takes it as a template parameter and then
// hands a run-time value to the kernel: one kernel can have all, and the build takes a fifth.
// Its own rule stops at 8; this goes on to 16.
inline int wanted_swizzle = 1;

struct AnySwizzle : cutlass::gemm::threadblock::GemmIdentityThreadblockSwizzle<1> {
  static int get_log_tile(cutlass::gemm::GemmCoord tiles) {
    int log = 0;
    while (2 << log <= std::min(wanted_swizzle, tiles.n())) ++log;
    return log;
  }
  static dim3 get_grid_shape(cutlass::gemm::GemmCoord tiles) {
    const int wide = 1 << get_log_tile(tiles);
    return dim3(tiles.m() * wide, (tiles.n() + wide - 1) / wide, tiles.k());
  }
};
using StreamK = cutlass::gemm::threadblock::ThreadblockSwizzleStreamK;

template <int kM, int kN, int kK, int kWarpM, int kWarpN, int kStages, typename Swizzle>
struct Gemm {
  using Half = cutlass::half_t;
  using Device = cutlass::gemm::device::GemmUniversal<
      Half, cutlass::layout::RowMajor, Half, cutlass::layout::ColumnMajor, Half,
      cutlass::layout::RowMajor, float, cutlass::arch::OpClassTensorOp, cutlass::arch::Sm80,
      cutlass::gemm::GemmShape<kM, kN, kK>, cutlass::gemm::GemmShape<kWarpM, kWarpN, kK>,
      cutlass::gemm::GemmShape<16, 8, 16>,
      cutlass::epilogue::thread::LinearCombination<Half, 8, float, float>, Swizzle, kStages>;

  // The arguments are set up at every launch, as a user of the library does: a few microseconds of
  // the host, hidden behind the launch before.
  static int launch(int m, int n, int k, const void* a, const void* b, void* d) {
    static Device gemm;
    static void* workspace = nullptr;
    static size_t capacity = 0;
    const int64_t rows = m, columns = n, depth = k;
    typename Device::Arguments arguments(cutlass::gemm::GemmUniversalMode::kGemm, {m, n, k}, 1,
                                         {1.0f, 0.0f}, a, b, d, d, rows * depth, columns * depth,
                                         rows * columns, rows * columns, k, k, n, n);
    if (Device::can_implement(arguments) != cutlass::Status::kSuccess) return 1;
    const size_t bytes = Device::get_workspace_size(arguments);
    if (bytes > capacity) {
      cudaFree(workspace);
      if (cudaMalloc(&workspace, bytes) != cudaSuccess) return 2;
      capacity = bytes;
    }
    if (gemm.initialize(arguments, workspace) != cutlass::Status::kSuccess) return 2;
    return gemm.run() == cutlass::Status::kSuccess ? 0 : 2;
  }

  template <int kSwizzle>
  static int launch_swizzled(int m, int n, int k, const void* a, const void* b, void* d) {
    wanted_swizzle = kSwizzle;
    return launch(m, n, k, a, b, d);
  }
};

// tiles/*.cu: one of these a file, so that they compile side by side.
using Kernels = std::vector<TcdPeerKernel>;

// A tile in five orders.
template <int kM, int kN, int kK, int kWarpM, int kWarpN, int kStages>
void add_swizzles(Kernels& to, const char* const (&names)[5]) {
  using G = Gemm<kM, kN, kK, kWarpM, kWarpN, kStages, AnySwizzle>;
  to.push_back({names[0], G::template launch_swizzled<1>});
  to.push_back({names[1], G::template launch_swizzled<2>});
  to.push_back({names[2], G::template launch_swizzled<4>});
  to.push_back({names[3], G::template launch_swizzled<8>});
  to.push_back({names[4], G::template launch_swizzled<16>});
}

template <int kM, int kN, int kK, int kWarpM, int kWarpN, int kStages>
void add_stream_k(Kernels& to, const char* name) {
  to.push_back({name, Gemm<kM, kN, kK, kWarpM, kWarpN, kStages, StreamK>::launch});
}

}  // namespace tcd::peer

// "128x256x32 s4, swizzle 8" and its four brothers.
#define TCD_PEER_NAMES(tile)                                                        \
  {                                                                                 \
    tile ", swizzle 1", tile ", swizzle 2", tile ", swizzle 4", tile ", swizzle 8", \
        tile ", swizzle 16"                                                         \
  }
