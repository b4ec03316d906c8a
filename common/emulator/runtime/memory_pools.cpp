// Stream-ordered pools. All hand out ordinary device memory; a pool only knows how much is its own.
#include "runtime/memory_pools.h"

#include <algorithm>
#include <map>
#include <set>

#include "runtime/capture.h"
#include "runtime/handles.h"

using namespace tcd::emu;
using namespace tcd::emu::runtime;

// The type behind cudaMemPool_t, left incomplete by NVIDIA's headers.
struct CUmemPoolHandle_st {
  uint64_t release_threshold = 0;
  std::map<int, int> policies{{cudaMemPoolReuseFollowEventDependencies, 1},
                              {cudaMemPoolReuseAllowOpportunistic, 1},
                              {cudaMemPoolReuseAllowInternalDependencies, 1}};
  uint64_t used = 0, used_high = 0;
};

namespace {

struct Owned {
  cudaMemPool_t pool = nullptr;
  uint64_t bytes = 0;
};

struct Pools {
  CUmemPoolHandle_st standard;
  cudaMemPool_t current = &standard;
  std::set<cudaMemPool_t> made;
  std::map<const void*, Owned> owners;
};
Pools& pools() {
  static auto* all = new Pools;
  return *all;
}

bool exists(cudaMemPool_t pool) { return pool == &pools().standard || pools().made.contains(pool); }

template <typename Body>
cudaError_t about_pool(cudaMemPool_t pool, Body&& body) {
  return query([&] { return exists(pool) ? body() : cudaErrorInvalidValue; });
}

cudaError_t get_pool(cudaMemPool_t* pool, int device_number, cudaMemPool_t answer) {
  return query([&] {
    if (pool == nullptr) return cudaErrorInvalidValue;
    if (device_number != 0) return cudaErrorInvalidDevice;
    *pool = answer;
    return cudaSuccess;
  });
}

bool is_this_device(const cudaMemLocation& location) {
  return location.type == cudaMemLocationTypeDevice && location.id == 0;
}

}  // namespace

void tcd::emu::runtime::pool_took(const void* pointer, uint64_t bytes, cudaMemPool_t pool) {
  if (pointer == nullptr) return;
  if (pool == nullptr) pool = pools().current;
  pools().owners[pointer] = {pool, bytes};
  pool->used += bytes;
  pool->used_high = std::max(pool->used_high, pool->used);
}

void tcd::emu::runtime::pool_lost(const void* pointer) {
  const auto found = pools().owners.find(pointer);
  if (found == pools().owners.end()) return;
  found->second.pool->used -= found->second.bytes;
  pools().owners.erase(found);
}

void tcd::emu::runtime::destroy_pools() {
  for (cudaMemPool_t pool : pools().made) delete pool;
  pools() = {};
  pools().current = &pools().standard;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device_number) {
  return get_pool(pool, device_number, &pools().standard);
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device_number) {
  return get_pool(pool, device_number, pools().current);
}
cudaError_t cudaDeviceSetMemPool(int device_number, cudaMemPool_t pool) {
  return about_pool(pool, [&] {
    if (device_number != 0) return cudaErrorInvalidDevice;
    pools().current = pool;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* props) {
  return query([&] {
    if (pool == nullptr || props == nullptr || props->allocType != cudaMemAllocationTypePinned ||
        !is_this_device(props->location)) {
      return cudaErrorInvalidValue;
    }
    if (props->handleTypes != cudaMemHandleTypeNone) {
      throw ApiError(cudaErrorNotSupported, "pools shared with other processes are not emulated");
    }
    *pool = new CUmemPoolHandle_st;
    pools().made.insert(*pool);
    return cudaSuccess;
  });
}

// What was allocated from it lives on, as a card lets it.
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return about_pool(pool, [&] {
    if (pool == &pools().standard) return cudaErrorInvalidValue;
    std::erase_if(pools().owners, [&](const auto& item) { return item.second.pool == pool; });
    if (pools().current == pool) pools().current = &pools().standard;
    pools().made.erase(pool);
    delete pool;
    return cudaSuccess;
  });
}

cudaError_t cudaMallocFromPoolAsync(void** pointer, size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  return queue([&] {
    if (!exists(pool)) return cudaErrorInvalidValue;
    const cudaError_t error = cudaMallocAsync(pointer, bytes, stream);
    if (error != cudaSuccess || is_captured(stream)) return error;
    pool_lost(*pointer);
    pool_took(*pointer, bytes, pool);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t) {
  return about_pool(pool, [] { return cudaSuccess; });
}

// The one device may always read and write its own pools; that cannot be taken away.
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* list, size_t count) {
  return about_pool(pool, [&] {
    if (list == nullptr && count != 0) return cudaErrorInvalidValue;
    for (size_t i = 0; i < count; ++i) {
      if (!is_this_device(list[i].location)) return cudaErrorInvalidDevice;
      if (list[i].flags != cudaMemAccessFlagsProtReadWrite) return cudaErrorInvalidValue;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool,
                                 cudaMemLocation* location) {
  return about_pool(pool, [&] {
    if (flags == nullptr || location == nullptr) return cudaErrorInvalidValue;
    if (!is_this_device(*location)) return cudaErrorInvalidDevice;
    *flags = cudaMemAccessFlagsProtReadWrite;
    return cudaSuccess;
  });
}

// Reuse policies and the threshold change nothing here. They are kept, so that they read back; high
// marks can be set, but only to zero.
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return about_pool(pool, [&] {
    if (value == nullptr) return cudaErrorInvalidValue;
    if (pool->policies.contains(attribute)) {
      pool->policies[attribute] = *static_cast<int*>(value);
      return cudaSuccess;
    }
    const uint64_t number = *static_cast<uint64_t*>(value);
    switch (attribute) {
      case cudaMemPoolAttrReleaseThreshold:
        pool->release_threshold = number;
        return cudaSuccess;
      case cudaMemPoolAttrUsedMemHigh:
      case cudaMemPoolAttrReservedMemHigh:
        if (number != 0) return cudaErrorInvalidValue;
        pool->used_high = pool->used;
        return cudaSuccess;
      default:
        return cudaErrorInvalidValue;
    }
  });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return about_pool(pool, [&] {
    if (value == nullptr) return cudaErrorInvalidValue;
    if (pool->policies.contains(attribute)) {
      *static_cast<int*>(value) = pool->policies[attribute];
      return cudaSuccess;
    }
    auto& number = *static_cast<uint64_t*>(value);
    switch (attribute) {
      case cudaMemPoolAttrReleaseThreshold:
        number = pool->release_threshold;
        return cudaSuccess;
      case cudaMemPoolAttrUsedMemCurrent:
      case cudaMemPoolAttrReservedMemCurrent:  // nothing is kept beyond what is in use
        number = pool->used;
        return cudaSuccess;
      case cudaMemPoolAttrUsedMemHigh:
      case cudaMemPoolAttrReservedMemHigh:
        number = pool->used_high;
        return cudaSuccess;
      default:
        return cudaErrorInvalidValue;
    }
  });
}
