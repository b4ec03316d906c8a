// Allocation: device, pinned, registered, managed and pooled memory.
#include <algorithm>

#include "runtime/allocations.h"
#include "runtime/capture.h"
#include "runtime/device_state.h"
#include "runtime/graph_memory.h"
#include "runtime/handles.h"
#include "runtime/host_memory.h"
#include "runtime/memory_pools.h"

using namespace tcd::emu;
using namespace tcd::emu::runtime;

namespace {

constexpr size_t kPitchUnit = 512;  // what cards round rows up to

cudaError_t allocate_device(void** pointer, size_t bytes) {
  if (pointer == nullptr) return cudaErrorInvalidValue;
  *pointer = bytes == 0 ? nullptr : allocations().allocate_device(bytes);
  return cudaSuccess;
}

// The product; so much that no device has it where 64 bits do not hold it.
size_t times(size_t a, size_t b) {
  size_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? SIZE_MAX : product;
}

cudaError_t allocate_host(void** pointer, size_t bytes, AllocationKind kind, unsigned flags) {
  if (pointer == nullptr) return cudaErrorInvalidValue;
  *pointer = bytes == 0 ? nullptr : allocations().allocate_host(bytes, kind, flags);
  return cudaSuccess;
}

// Frees what one of `allowed` kinds allocated.
cudaError_t release(void* pointer, AllocationKind allowed, AllocationKind also) {
  if (pointer == nullptr) return cudaSuccess;
  const Allocation* block = allocations().find(pointer);
  if (block == nullptr || (block->kind != allowed && block->kind != also)) {
    return cudaErrorInvalidValue;
  }
  pool_lost(pointer);
  return allocations().release(pointer) ? cudaSuccess : cudaErrorInvalidValue;
}

}  // namespace

cudaError_t cudaMalloc(void** pointer, size_t bytes) {
  return synchronize([&] {
    refuse_while_capturing();
    return allocate_device(pointer, bytes);
  });
}

cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  return synchronize([&] {
    if (pitch == nullptr) return cudaErrorInvalidValue;
    const size_t rows = width / kPitchUnit + (width % kPitchUnit != 0);
    const size_t bytes = times(times(rows, kPitchUnit), height);
    *pitch = rows * kPitchUnit;
    return allocate_device(pointer, bytes);
  });
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* pointer, cudaExtent extent) {
  if (pointer == nullptr) return remember(cudaErrorInvalidValue);
  pointer->xsize = extent.width;
  pointer->ysize = extent.height;
  return cudaMallocPitch(&pointer->ptr, &pointer->pitch, extent.width,
                         times(extent.height, extent.depth));
}

cudaError_t cudaFree(void* pointer) {
  return synchronize([&] {
    refuse_while_capturing();
    cudaError_t result = cudaSuccess;
    if (end_use(pointer, result)) return result;
    return release(pointer, AllocationKind::kDevice, AllocationKind::kManaged);
  });
}

cudaError_t tcd::emu::runtime::free_device(void* pointer) {
  cudaError_t result = cudaSuccess;
  if (end_use(pointer, result)) return result;
  return release(pointer, AllocationKind::kDevice, AllocationKind::kDevice);
}

cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t stream) {
  return queue([&] {
    require_stream(stream);
    if (!is_captured(stream)) {
      const cudaError_t error = allocate_device(pointer, bytes);
      if (error == cudaSuccess) pool_took(*pointer, bytes);
      return error;
    }
    if (pointer == nullptr || bytes == 0) return cudaErrorInvalidValue;
    const AllocateWork work{std::make_shared<GraphMemory>(bytes)};
    capture(stream, work);
    *pointer = work.memory->pointer;
    return cudaSuccess;
  });
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  return submit(stream, FreeWork{pointer});
}

cudaError_t cudaMallocHost(void** pointer, size_t bytes) {
  return synchronize([&] { return allocate_host(pointer, bytes, AllocationKind::kPinned, 0); });
}

cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned flags) {
  constexpr unsigned kKnown =
      cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
  return synchronize([&] {
    if ((flags & ~kKnown) != 0) return cudaErrorInvalidValue;
    return allocate_host(pointer, bytes, AllocationKind::kPinned, flags);
  });
}

cudaError_t cudaFreeHost(void* pointer) {
  return synchronize(
      [&] { return release(pointer, AllocationKind::kPinned, AllocationKind::kPinned); });
}

cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned flags) {
  return synchronize([&] {
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) {
      return cudaErrorInvalidValue;
    }
    return allocate_host(pointer, bytes, AllocationKind::kManaged, flags);
  });
}

cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned flags) {
  return synchronize([&] {
    if (pointer == nullptr || bytes == 0) return cudaErrorInvalidValue;
    if (device().memory().is_device_address(reinterpret_cast<uint64_t>(pointer))) {
      return cudaErrorInvalidValue;
    }
    return allocations().register_host(pointer, bytes, flags)
               ? cudaSuccess
               : cudaErrorHostMemoryAlreadyRegistered;
  });
}

cudaError_t cudaHostUnregister(void* pointer) {
  return synchronize([&] {
    const Allocation* block = allocations().find(pointer);
    if (block == nullptr || block->kind != AllocationKind::kRegistered) {
      return cudaErrorHostMemoryNotRegistered;
    }
    if (block->address != reinterpret_cast<uint64_t>(pointer)) return cudaErrorInvalidValue;
    allocations().release(reinterpret_cast<void*>(block->address));
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetDevicePointer(void** device_pointer, void* host, unsigned) {
  return query([&] {
    const Allocation* block = allocations().find(host);
    if (device_pointer == nullptr || block == nullptr || block->kind == AllocationKind::kDevice) {
      return cudaErrorInvalidValue;
    }
    *device_pointer = host;  // one address space: kernels reach it where the host does
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* host) {
  return query([&] {
    const Allocation* block = allocations().find(host);
    if (flags == nullptr || block == nullptr || block->kind == AllocationKind::kDevice) {
      return cudaErrorInvalidValue;
    }
    *flags = block->flags | cudaHostAllocMapped;  // with one address space all of it is mapped
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  return synchronize([&] {
    if (free_bytes == nullptr || total_bytes == nullptr) return cudaErrorInvalidValue;
    const DeviceMemory& memory = device().memory();
    *total_bytes = memory.capacity();
    // What a single allocation would get: no more than the machine has.
    *free_bytes = std::min(memory.capacity() - memory.used(), host_memory_left());
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return query([&] {
    if (attributes == nullptr) return cudaErrorInvalidValue;
    *attributes = {};
    const Allocation* block = allocations().find(pointer);
    auto* address = const_cast<void*>(pointer);
    attributes->device = block != nullptr ? 0 : cudaInvalidDeviceId;
    attributes->type = cudaMemoryTypeUnregistered;
    if (block == nullptr) {  // a variable of a module is device memory, too
      if (device_exists() &&
          device().memory().is_device_address(reinterpret_cast<uint64_t>(pointer))) {
        attributes->type = cudaMemoryTypeDevice;
        attributes->device = 0;
        attributes->devicePointer = address;
      } else {
        attributes->hostPointer = address;
      }
      return cudaSuccess;
    }
    attributes->devicePointer = address;
    switch (block->kind) {
      case AllocationKind::kDevice:
        attributes->type = cudaMemoryTypeDevice;
        return cudaSuccess;
      case AllocationKind::kManaged:
        attributes->type = cudaMemoryTypeManaged;
        break;
      case AllocationKind::kPinned:
      case AllocationKind::kRegistered:
        attributes->type = cudaMemoryTypeHost;
        break;
    }
    attributes->hostPointer = address;
    return cudaSuccess;
  });
}
