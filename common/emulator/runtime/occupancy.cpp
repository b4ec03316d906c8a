// The occupancy questions of the runtime API, answered by occupancy_model.
#include "runtime/device_state.h"
#include "runtime/kernel_facts.h"

using namespace tcd::emu;
using namespace tcd::emu::runtime;

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* ctas, const void* function,
                                                                   int threads,
                                                                   size_t dynamic_shared,
                                                                   unsigned flags) {
  return query([&] {
    constexpr unsigned kKnown = cudaOccupancyDisableCachingOverride;
    if (ctas == nullptr || threads <= 0 || (flags & ~kKnown) != 0) return cudaErrorInvalidValue;
    const KernelFacts facts = facts_of(registry().kernel(function));
    *ctas = ctas_per_sm(profile(), facts.footprint, static_cast<uint32_t>(threads), dynamic_shared);
    return cudaSuccess;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* ctas, const void* function,
                                                          int threads, size_t dynamic_shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(ctas, function, threads,
                                                                dynamic_shared, 0);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* dynamic_shared, const void* function,
                                                      int ctas, int threads) {
  return query([&] {
    if (dynamic_shared == nullptr || ctas <= 0 || threads <= 0) return cudaErrorInvalidValue;
    const KernelFacts facts = facts_of(registry().kernel(function));
    const int64_t bytes =
        available_dynamic_shared(profile(), facts.footprint, ctas, static_cast<uint32_t>(threads));
    if (bytes < 0) return cudaErrorInvalidValue;
    *dynamic_shared = static_cast<size_t>(bytes);
    return cudaSuccess;
  });
}
