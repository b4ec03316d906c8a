// Which pool device memory came from: cudaMallocAsync and its like.
#pragma once

#include <cstdint>

#include "runtime/cuda_api.h"

namespace tcd::emu::runtime {

// pool: nullptr for the device's current one.
void pool_took(const void* pointer, uint64_t bytes, cudaMemPool_t pool = nullptr);
void pool_lost(const void* pointer);  // freed; nothing to do when no pool had it
void destroy_pools();

}  // namespace tcd::emu::runtime
