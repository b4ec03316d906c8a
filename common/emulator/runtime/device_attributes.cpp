#include "runtime/device_attributes.h"

namespace tcd::emu::runtime {

std::optional<int> device_attribute(const Profile& gpu, cudaDeviceAttr attribute) {
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
      return gpu.threads_per_block;
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY:
      return 1024;
    case cudaDevAttrMaxBlockDimZ:
      return 64;
    case cudaDevAttrMaxGridDimX:
      return 0x7fffffff;
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ:
      return 65535;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      return static_cast<int>(gpu.shared_per_block);
    case cudaDevAttrTotalConstantMemory:
      return 65536;
    case cudaDevAttrWarpSize:
      return 32;
    case cudaDevAttrMaxPitch:
      return 0x7fffffff;
    case cudaDevAttrMaxRegistersPerBlock:
      return static_cast<int>(gpu.registers_per_block);
    case cudaDevAttrClockRate:
      return gpu.clock_khz;
    case cudaDevAttrMultiProcessorCount:
      return gpu.sm_count;
    case cudaDevAttrCanMapHostMemory:
      return 1;
    case cudaDevAttrComputeMode:
      return cudaComputeModeDefault;
    case cudaDevAttrConcurrentKernels:
      return 1;
    case cudaDevAttrPciBusId:
      return 1;
    case cudaDevAttrMemoryClockRate:
      return gpu.memory_clock_khz;
    case cudaDevAttrGlobalMemoryBusWidth:
      return gpu.memory_bus_bits;
    case cudaDevAttrL2CacheSize:
      return static_cast<int>(gpu.l2_bytes);
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return gpu.threads_per_sm;
    case cudaDevAttrAsyncEngineCount:
      return 1;
    case cudaDevAttrGpuOverlap:
      return 1;
    case cudaDevAttrUnifiedAddressing:
      return 1;
    case cudaDevAttrComputeCapabilityMajor:
      return gpu.compute_major;
    case cudaDevAttrComputeCapabilityMinor:
      return gpu.compute_minor;
    case cudaDevAttrStreamPrioritiesSupported:
      return 1;
    case cudaDevAttrGlobalL1CacheSupported:
    case cudaDevAttrLocalL1CacheSupported:
      return 1;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return static_cast<int>(gpu.shared_per_sm);
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      return static_cast<int>(gpu.registers_per_sm);
    case cudaDevAttrManagedMemory:
      return 1;
    // Host and device never run at the same time here, but both may hold the pointer.
    case cudaDevAttrConcurrentManagedAccess:
      return 1;
    case cudaDevAttrCanUseHostPointerForRegisteredMem:
      return 1;
    case cudaDevAttrCooperativeLaunch:
      return 1;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return static_cast<int>(gpu.shared_per_block_optin);
    case cudaDevAttrHostRegisterSupported:
      return 1;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      return gpu.ctas_per_sm;
    case cudaDevAttrReservedSharedMemoryPerBlock:
      return static_cast<int>(gpu.shared_reserved_per_block);
    case cudaDevAttrMemoryPoolsSupported:
      return 1;
    // FP64 against FP32 units: two on the data centre chips, thirty-two or sixty-four elsewhere.
    case cudaDevAttrSingleToDoublePrecisionPerfRatio:
      return gpu.compute_minor == 0 ? 2 : gpu.compute_major == 7 ? 32 : 64;
    case cudaDevAttrNumaId:
    case cudaDevAttrHostNumaId:
      return -1;
    default:
      break;
  }
  const bool known = attribute > 0 && attribute < cudaDevAttrMax;
  return known ? std::optional<int>(0) : std::nullopt;
}

}  // namespace tcd::emu::runtime
