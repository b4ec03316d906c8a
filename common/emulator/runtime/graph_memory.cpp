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

struct Totals {
  uint64_t used = 0, used_high = 0, reserved = 0, reserved_high = 0;
};
Totals totals;

void add(uint64_t& now, uint64_t& high, uint64_t bytes) {
  now += bytes;
  high = std::max(high, now);
}

cudaError_t attribute(int device_number, cudaGraphMemAttributeType type, void* value,
                      uint64_t*& place) {
  if (device_number != 0) return cudaErrorInvalidDevice;
  if (value == nullptr) return cudaErrorInvalidValue;
  switch (type) {
    case cudaGraphMemAttrUsedMemCurrent:
      place = &totals.used;
      return cudaSuccess;
    case cudaGraphMemAttrUsedMemHigh:
      place = &totals.used_high;
      return cudaSuccess;
    case cudaGraphMemAttrReservedMemCurrent:
      place = &totals.reserved;
      return cudaSuccess;
    case cudaGraphMemAttrReservedMemHigh:
      place = &totals.reserved_high;
      return cudaSuccess;
    default:
      return cudaErrorInvalidValue;
  }
}

}  // namespace

GraphMemory::GraphMemory(size_t size) : bytes(size) {
  pointer = allocations().allocate_device(size);
  reserved()[pointer] = this;
  add(totals.reserved, totals.reserved_high, bytes);
}

GraphMemory::~GraphMemory() {
  reserved().erase(pointer);
  totals.reserved -= bytes;
  if (in_use) {
    totals.used -= bytes;
  } else if (device_exists()) {
    allocations().release(pointer);
  }
}

cudaError_t tcd::emu::runtime::begin_use(GraphMemory& memory) {
  if (memory.in_use) return cudaErrorInvalidValue;
  memory.in_use = true;
  add(totals.used, totals.used_high, memory.bytes);
  return cudaSuccess;
}

bool tcd::emu::runtime::end_use(void* pointer, cudaError_t& result) {
  const auto found = reserved().find(pointer);
  if (found == reserved().end()) return false;
  GraphMemory& memory = *found->second;
  result = memory.in_use ? cudaSuccess : cudaErrorInvalidValue;
  if (memory.in_use) totals.used -= memory.bytes;
  memory.in_use = false;
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
    const bool is_high = place == &totals.used_high || place == &totals.reserved_high;
    if (!is_high || *static_cast<uint64_t*>(value) != 0) return cudaErrorInvalidValue;
    *place = place == &totals.used_high ? totals.used : totals.reserved;
    return cudaSuccess;
  });
}

// A graph's memory keeps its address, so there is nothing to give back before the graph goes.
cudaError_t cudaDeviceGraphMemTrim(int number) {
  return query([&] { return number == 0 ? cudaSuccess : cudaErrorInvalidDevice; });
}
