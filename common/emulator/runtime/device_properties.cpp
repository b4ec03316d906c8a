// The one device of this process: how many, which, what it can do.
#include <cstdio>
#include <cstring>
#include <string>

#include "runtime/device_attributes.h"
#include "runtime/device_state.h"
#include "runtime/error_state.h"

using namespace tcd::emu;
using namespace tcd::emu::runtime;

namespace {

constexpr char kPciBusId[] = "0000:01:00.0";

void fill(cudaDeviceProp& p, const Profile& gpu) {
  const auto get = [&](cudaDeviceAttr attribute) { return *device_attribute(gpu, attribute); };
  p = {};
  std::snprintf(p.name, sizeof(p.name), "%.*s (emulated)", static_cast<int>(gpu.device_name.size()),
                gpu.device_name.data());
  std::memcpy(p.uuid.bytes, "tcd emulated gpu", 16);
  p.totalGlobalMem = gpu.memory_bytes;
  p.sharedMemPerBlock = gpu.shared_per_block;
  p.regsPerBlock = get(cudaDevAttrMaxRegistersPerBlock);
  p.warpSize = get(cudaDevAttrWarpSize);
  p.memPitch = static_cast<size_t>(get(cudaDevAttrMaxPitch));
  p.maxThreadsPerBlock = gpu.threads_per_block;
  p.maxThreadsDim[0] = get(cudaDevAttrMaxBlockDimX);
  p.maxThreadsDim[1] = get(cudaDevAttrMaxBlockDimY);
  p.maxThreadsDim[2] = get(cudaDevAttrMaxBlockDimZ);
  p.maxGridSize[0] = get(cudaDevAttrMaxGridDimX);
  p.maxGridSize[1] = get(cudaDevAttrMaxGridDimY);
  p.maxGridSize[2] = get(cudaDevAttrMaxGridDimZ);
  p.totalConstMem = static_cast<size_t>(get(cudaDevAttrTotalConstantMemory));
  p.major = gpu.compute_major;
  p.minor = gpu.compute_minor;
  p.textureAlignment = 512;
  p.multiProcessorCount = gpu.sm_count;
  p.canMapHostMemory = 1;
  p.concurrentKernels = 1;
  p.pciBusID = get(cudaDevAttrPciBusId);
  p.asyncEngineCount = get(cudaDevAttrAsyncEngineCount);
  p.unifiedAddressing = 1;
  p.memoryBusWidth = gpu.memory_bus_bits;
  p.l2CacheSize = static_cast<int>(gpu.l2_bytes);
  p.maxThreadsPerMultiProcessor = gpu.threads_per_sm;
  p.streamPrioritiesSupported = 1;
  p.globalL1CacheSupported = 1;
  p.localL1CacheSupported = 1;
  p.sharedMemPerMultiprocessor = gpu.shared_per_sm;
  p.regsPerMultiprocessor = static_cast<int>(gpu.registers_per_sm);
  p.managedMemory = 1;
  p.concurrentManagedAccess = get(cudaDevAttrConcurrentManagedAccess);
  p.canUseHostPointerForRegisteredMem = 1;
  p.cooperativeLaunch = 1;
  p.sharedMemPerBlockOptin = gpu.shared_per_block_optin;
  p.maxBlocksPerMultiProcessor = gpu.ctas_per_sm;
  p.reservedSharedMemPerBlock = gpu.shared_reserved_per_block;
  p.hostRegisterSupported = 1;
  p.memoryPoolsSupported = 1;
#if CUDART_VERSION < 13000  // later toolkits have these as attributes only
  p.clockRate = gpu.clock_khz;
  p.memoryClockRate = gpu.memory_clock_khz;
  p.singleToDoublePrecisionPerfRatio = get(cudaDevAttrSingleToDoublePrecisionPerfRatio);
#endif
}

}  // namespace

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int number) {
  return host_only([&] {
    if (properties == nullptr) return cudaErrorInvalidValue;
    if (number != 0) return cudaErrorInvalidDevice;
    fill(*properties, profile());
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int number) {
  return host_only([&] {
    if (value == nullptr) return cudaErrorInvalidValue;
    if (number != 0) return cudaErrorInvalidDevice;
    const std::optional<int> known = device_attribute(profile(), attribute);
    if (!known) return cudaErrorInvalidValue;
    *value = *known;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceCount(int* count) {
  return host_only([&] {
    if (count == nullptr) return cudaErrorInvalidValue;
    profile();  // a wrong TCD_GPU is reported by the first call a program makes
    *count = 1;
    return cudaSuccess;
  });
}

cudaError_t cudaChooseDevice(int* number, const cudaDeviceProp* wanted) {
  return host_only([&] {
    if (number == nullptr || wanted == nullptr) return cudaErrorInvalidValue;
    *number = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int number) {
  return host_only([&] {
    if (text == nullptr || length < static_cast<int>(sizeof(kPciBusId))) {
      return cudaErrorInvalidValue;
    }
    if (number != 0) return cudaErrorInvalidDevice;
    std::memcpy(text, kPciBusId, sizeof(kPciBusId));
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetByPCIBusId(int* number, const char* text) {
  return host_only([&] {
    if (number == nullptr || text == nullptr) return cudaErrorInvalidValue;
    if (std::string(text) != kPciBusId) return cudaErrorInvalidDevice;
    *number = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) {
  return host_only([&] {
    if (can == nullptr) return cudaErrorInvalidValue;
    *can = 0;
    return cudaSuccess;
  });
}
