// Stream-ordered pools: one default pool that hands out ordinary device memory.
#include "runtime/device_state.h"
#include "runtime/error_state.h"

using namespace tcd::emu;
using namespace tcd::emu::runtime;

// The type behind cudaMemPool_t, left incomplete by NVIDIA's headers.
struct CUmemPoolHandle_st {
  uint64_t release_threshold = 0;
};

namespace {

CUmemPoolHandle_st default_pool;

cudaError_t get_pool(cudaMemPool_t* pool, int device_number) {
  return query([&] {
    if (pool == nullptr) return cudaErrorInvalidValue;
    if (device_number != 0) return cudaErrorInvalidDevice;
    *pool = &default_pool;
    return cudaSuccess;
  });
}

}  // namespace

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device_number) {
  return get_pool(pool, device_number);
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device_number) {
  return get_pool(pool, device_number);
}

cudaError_t cudaMallocFromPoolAsync(void** pointer, size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  if (pool != &default_pool) return remember(cudaErrorInvalidValue);
  return cudaMallocAsync(pointer, bytes, stream);
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t) {
  return query([&] { return pool == &default_pool ? cudaSuccess : cudaErrorInvalidValue; });
}

// Reuse policies change nothing here: accepted. The threshold is kept, so that it reads back.
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return query([&] {
    if (pool != &default_pool || value == nullptr) return cudaErrorInvalidValue;
    if (attribute == cudaMemPoolAttrReleaseThreshold) {
      default_pool.release_threshold = *static_cast<uint64_t*>(value);
    }
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return query([&] {
    if (pool != &default_pool || value == nullptr) return cudaErrorInvalidValue;
    switch (attribute) {
      case cudaMemPoolReuseFollowEventDependencies:
      case cudaMemPoolReuseAllowOpportunistic:
      case cudaMemPoolReuseAllowInternalDependencies:
        *static_cast<int*>(value) = 1;
        break;
      case cudaMemPoolAttrReleaseThreshold:
        *static_cast<uint64_t*>(value) = default_pool.release_threshold;
        break;
      default:
        *static_cast<uint64_t*>(value) = device_exists() ? device().memory().used() : 0;
        break;
    }
    return cudaSuccess;
  });
}
