// As many CTAs as the device holds at once: each makes one tile of D after the other.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>

#include "harness/cuda_error.h"

namespace tcd::tile {

// CTAs of `kernel` that run side by side, at most `tiles`. Throws harness::CudaError. Two queries a
// launch: about a microsecond on a card.
template <typename Kernel>
int persistent_grid(Kernel* kernel, int threads, int dynamic_shared_bytes, int tiles) {
  int device = 0, sms = 0, ctas_per_sm = 0;
  harness::check(cudaGetDevice(&device), "asking for the device");
  harness::check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device),
                 "asking for the number of SMs");
  harness::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                     &ctas_per_sm, reinterpret_cast<const void*>(kernel), threads,
                     static_cast<size_t>(dynamic_shared_bytes)),
                 "asking how many CTAs an SM holds");
  return std::min(tiles, sms * std::max(ctas_per_sm, 1));
}

}  // namespace tcd::tile
