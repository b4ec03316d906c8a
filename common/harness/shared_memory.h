// Dynamic shared memory beyond 48 KiB has to be asked for, once per kernel.
#pragma once

#include <cuda_runtime_api.h>

#include "harness/cuda_error.h"

namespace tcd {

// A block gets `bytes` of dynamic shared memory for `kernel`. Throws harness::CudaError when the
// device has less; the harness asks before it launches.
template <typename Kernel>
void allow_shared_memory(Kernel* kernel, int bytes) {
  if (bytes <= 48 * 1024) return;
  harness::check(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                      cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
                 "asking for more than 48 KiB of shared memory");
}

}  // namespace tcd
