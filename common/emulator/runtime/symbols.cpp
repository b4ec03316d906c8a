// __device__, __constant__ and __managed__ variables, named by their host shadow.
#include "runtime/capture.h"
#include "runtime/handles.h"

using namespace tcd::emu;
using namespace tcd::emu::runtime;

namespace {

struct Storage {
  std::byte* start = nullptr;  // device address; managed: host address
  uint64_t bytes = 0;
};

// Loads the variable's module. Throws ApiError: cudaErrorInvalidSymbol.
Storage storage_of(const void* symbol) {
  const RegisteredVariable* variable = registry().variable(symbol);
  if (variable == nullptr) {
    throw ApiError(cudaErrorInvalidSymbol,
                   "a symbol function was given something that is no device variable");
  }
  Program& program = variable->module->program();
  if (variable->managed_at != nullptr) {
    return {static_cast<std::byte*>(*variable->managed_at), variable->bytes};
  }
  const auto found = program.find_symbol(variable->name);
  if (!found) {
    throw ApiError(cudaErrorInvalidSymbol,
                   "device variable " + variable->name + " is not in the executed PTX");
  }
  return {reinterpret_cast<std::byte*>(found->address), found->size};
}

cudaError_t copy(const void* symbol, void* other, size_t bytes, size_t offset, cudaMemcpyKind kind,
                 bool to_symbol, CopyWork& work) {
  const Storage storage = storage_of(symbol);
  if (offset > storage.bytes || bytes > storage.bytes - offset) return cudaErrorInvalidValue;
  const bool allowed = kind == cudaMemcpyDefault || kind == cudaMemcpyDeviceToDevice ||
                       kind == (to_symbol ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost);
  if (!allowed) return cudaErrorInvalidMemcpyDirection;
  const Place in_symbol{storage.start + offset, 0, 0}, outside{other, 0, 0};
  work = to_symbol ? CopyWork{in_symbol, outside, {bytes}, kind}
                   : CopyWork{outside, in_symbol, {bytes}, kind};
  return cudaSuccess;
}

cudaError_t copy_now(const void* symbol, void* other, size_t bytes, size_t offset,
                     cudaMemcpyKind kind, bool to_symbol) {
  return synchronize([&] {
    refuse_beside_capture(nullptr);
    CopyWork work;
    const cudaError_t wrong = copy(symbol, other, bytes, offset, kind, to_symbol, work);
    return wrong != cudaSuccess ? wrong : perform(work);
  });
}

cudaError_t copy_later(const void* symbol, void* other, size_t bytes, size_t offset,
                       cudaMemcpyKind kind, bool to_symbol, cudaStream_t stream) {
  return queue([&] {
    require_stream(stream);
    CopyWork work;
    const cudaError_t wrong = copy(symbol, other, bytes, offset, kind, to_symbol, work);
    return wrong != cudaSuccess ? wrong : submit(stream, work);
  });
}

}  // namespace

CopyWork tcd::emu::runtime::copy_with_symbol(const void* symbol, void* other, size_t bytes,
                                             size_t offset, cudaMemcpyKind kind, bool to_symbol) {
  CopyWork work;
  const cudaError_t wrong = copy(symbol, other, bytes, offset, kind, to_symbol, work);
  if (wrong != cudaSuccess) throw ApiError(wrong, "a copy to or from a symbol does not fit it");
  return work;
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset,
                               cudaMemcpyKind kind) {
  return copy_now(symbol, const_cast<void*>(from), bytes, offset, kind, true);
}

cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset,
                                 cudaMemcpyKind kind) {
  return copy_now(symbol, to, bytes, offset, kind, false);
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes,
                                    size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_later(symbol, const_cast<void*>(from), bytes, offset, kind, true, stream);
}

cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes, size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_later(symbol, to, bytes, offset, kind, false, stream);
}

cudaError_t cudaGetSymbolAddress(void** address, const void* symbol) {
  return synchronize([&] {
    if (address == nullptr) return cudaErrorInvalidValue;
    *address = storage_of(symbol).start;
    return cudaSuccess;
  });
}

cudaError_t cudaGetSymbolSize(size_t* bytes, const void* symbol) {
  return synchronize([&] {
    if (bytes == nullptr) return cudaErrorInvalidValue;
    *bytes = storage_of(symbol).bytes;
    return cudaSuccess;
  });
}
