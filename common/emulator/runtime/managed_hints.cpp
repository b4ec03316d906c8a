// Hints about managed memory: there is one memory, so they are accepted and change nothing.
#include "runtime/allocations.h"
#include "runtime/handles.h"

using namespace tcd::emu;
using namespace tcd::emu::runtime;

namespace {

cudaError_t check_managed(const void* pointer, size_t bytes) {
  const Allocation* block = allocations().find(pointer);
  if (block == nullptr || block->kind != AllocationKind::kManaged || bytes == 0 ||
      bytes > block->address + block->bytes - reinterpret_cast<uint64_t>(pointer)) {
    return cudaErrorInvalidValue;
  }
  return cudaSuccess;
}

cudaError_t prefetch(const void* pointer, size_t bytes, cudaStream_t stream) {
  return queue([&] {
    require_stream(stream);
    return check_managed(pointer, bytes);
  });
}

cudaError_t advise(const void* pointer, size_t bytes) {
  return query([&] { return check_managed(pointer, bytes); });
}

}  // namespace

#if CUDART_VERSION >= 13000
cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, cudaMemLocation, unsigned,
                                 cudaStream_t stream) {
  return prefetch(pointer, bytes, stream);
}
cudaError_t cudaMemAdvise(const void* pointer, size_t bytes, cudaMemoryAdvise, cudaMemLocation) {
  return advise(pointer, bytes);
}
#else
cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, int, cudaStream_t stream) {
  return prefetch(pointer, bytes, stream);
}
cudaError_t cudaMemAdvise(const void* pointer, size_t bytes, cudaMemoryAdvise, int) {
  return advise(pointer, bytes);
}
#endif
