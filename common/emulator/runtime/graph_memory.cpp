#include "runtime/graph_memory.h"

#include <algorithm>
#include <map>

#include "runtime/allocations.h"
#include "runtime/device_state.h"

using namespace tcd::emu;
using namespace tcd::emu::runtime;

namespace {

std::map<void*, GraphMemory*>& reserved() {
  static auto* all = new std::map<void*, GraphMemory*>;
  return *all;
}

// As on a card, memory that graphs have freed stays theirs, for their next launches, until it is
// trimmed.
uint64_t in_use = 0, pool = 0, pool_high = 0;

cudaError_t attribute(int device_number, cudaGraphMemAttributeType type, void* value,
                      uint64_t*& place) {
  if (device_number != 0) return cudaErrorInvalidDevice;
  if (value == nullptr) return cudaErrorInvalidValue;
  switch (type) {
    case cudaGraphMemAttrUsedMemCurrent:
    case cudaGraphMemAttrReservedMemCurrent:
      place = &pool;
      return cudaSuccess;
    case cudaGraphMemAttrUsedMemHigh:
    case cudaGraphMemAttrReservedMemHigh:
      place = &pool_high;
      return cudaSuccess;
    default:
      return cudaErrorInvalidValue;
  }
}

}  // namespace

GraphMemory::GraphMemory(size_t size) : bytes(size) {
  pointer = allocations().allocate_device(size);
  reserved()[pointer] = this;
}

GraphMemory::~GraphMemory() {
  reserved().erase(pointer);
  if (is_in_use) {
    in_use -= bytes;
  } else if (device_exists()) {
    allocations().release(pointer);
  }
}

cudaError_t tcd::emu::runtime::begin_use(GraphMemory& memory) {
  if (memory.is_in_use) return cudaErrorInvalidValue;
  memory.is_in_use = true;
  in_use += memory.bytes;
  pool = std::max(pool, in_use);
  pool_high = std::max(pool_high, pool);
  return cudaSuccess;
}

bool tcd::emu::runtime::end_use(void* pointer, cudaError_t& result) {
  const auto found = reserved().find(pointer);
  if (found == reserved().end()) return false;
  GraphMemory& memory = *found->second;
  result = memory.is_in_use ? cudaSuccess : cudaErrorInvalidValue;
  if (memory.is_in_use) in_use -= memory.bytes;
  memory.is_in_use = false;
  return true;
}

cudaError_t cudaDeviceGetGraphMemAttribute(int number, cudaGraphMemAttributeType type,
                                           void* value) {
  return query([&] {
    uint64_t* place = nullptr;
    const cudaError_t error = attribute(number, type, value, place);
    if (error == cudaSuccess) *static_cast<uint64_t*>(value) = *place;
    return error;
  });
}

// Only the high marks can be set, and only to zero.
cudaError_t cudaDeviceSetGraphMemAttribute(int number, cudaGraphMemAttributeType type,
                                           void* value) {
  return query([&] {
    uint64_t* place = nullptr;
    const cudaError_t error = attribute(number, type, value, place);
    if (error != cudaSuccess) return error;
    if (place != &pool_high || *static_cast<uint64_t*>(value) != 0) return cudaErrorInvalidValue;
    pool_high = pool;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGraphMemTrim(int number) {
  return query([&] {
    if (number != 0) return cudaErrorInvalidDevice;
    pool = in_use;
    return cudaSuccess;
  });
}
