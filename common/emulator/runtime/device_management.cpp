// Choosing, waiting for, configuring and resetting the device; versions.
#include <map>

#include "runtime/allocations.h"
#include "runtime/capture.h"
#include "runtime/device_state.h"
#include "runtime/graph.h"
#include "runtime/handles.h"
#include "runtime/memory_pools.h"
#include "runtime/registry.h"

using namespace tcd::emu;
using namespace tcd::emu::runtime;

namespace {

unsigned device_flags = cudaDeviceScheduleAuto;

std::map<int, size_t>& limits() {
  static auto* values = new std::map<int, size_t>{{cudaLimitStackSize, 1024},
                                                  {cudaLimitPrintfFifoSize, 1 << 20},
                                                  {cudaLimitMallocHeapSize, 8 << 20}};
  return *values;
}

cudaError_t store_version(int* version) {
  if (version == nullptr) return remember(cudaErrorInvalidValue);
  *version = CUDART_VERSION;
  return cudaSuccess;
}

}  // namespace

// The library is exactly as new as the toolkit it was built with, and stands in for a driver of
// that version.
cudaError_t cudaRuntimeGetVersion(int* version) { return store_version(version); }
cudaError_t cudaDriverGetVersion(int* version) { return store_version(version); }

cudaError_t cudaSetDevice(int number) {
  return host_only([&] {
    if (number != 0) return cudaErrorInvalidDevice;
    profile();
    return cudaSuccess;
  });
}

cudaError_t cudaInitDevice(int number, unsigned, unsigned) { return cudaSetDevice(number); }

cudaError_t cudaSetValidDevices(int* numbers, int count) {
  return host_only([&] {
    for (int i = 0; i < count; ++i) {
      if (numbers == nullptr || numbers[i] != 0) return cudaErrorInvalidDevice;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaGetDevice(int* number) {
  return host_only([&] {
    if (number == nullptr) return cudaErrorInvalidValue;
    *number = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
  return host_only([&] {
    device_flags = flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  return host_only([&] {
    if (flags == nullptr) return cudaErrorInvalidValue;
    *flags = device_flags | cudaDeviceMapHost;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSynchronize() {
  return synchronize([] {
    refuse_while_capturing();
    return cudaSuccess;
  });
}

// Does not repair the device after a fault: see error_state.h.
cudaError_t cudaDeviceReset() {
  const std::lock_guard lock(api_mutex());
  registry().unload_all();
  destroy_graphs();
  allocations().release_all();
  destroy_pools();
  destroy_streams();
  destroy_events();
  destroy_device();
  error_state().reset();
  return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  return query([&] {
    if (!limits().contains(limit)) return cudaErrorUnsupportedLimit;
    limits()[limit] = value;  // stacks, printf and heap grow as needed: remembered, nothing more
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  return query([&] {
    if (value == nullptr) return cudaErrorInvalidValue;
    if (!limits().contains(limit)) return cudaErrorUnsupportedLimit;
    *value = limits()[limit];
    return cudaSuccess;
  });
}

// Preferences that no current card acts on.
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) {
  return query([] { return cudaSuccess; });
}
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* preference) {
  return query([&] {
    if (preference == nullptr) return cudaErrorInvalidValue;
    *preference = cudaFuncCachePreferNone;
    return cudaSuccess;
  });
}
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
  return query([] { return cudaSuccess; });
}
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* banks) {
  return query([&] {
    if (banks == nullptr) return cudaErrorInvalidValue;
    *banks = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
  });
}
cudaError_t cudaCtxResetPersistingL2Cache() {
  return query([] { return cudaSuccess; });
}

// There is no profiler to start.
TCD_EXPORT cudaError_t cudaProfilerStart() {
  return query([] { return cudaSuccess; });
}
TCD_EXPORT cudaError_t cudaProfilerStop() {
  return query([] { return cudaSuccess; });
}
