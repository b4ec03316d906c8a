// What is asked and set about one kernel.
#include "runtime/device_state.h"
#include "runtime/kernel_facts.h"

using namespace tcd::emu;
using namespace tcd::emu::runtime;

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  return query([&] {
    if (attributes == nullptr) return cudaErrorInvalidValue;
    const RegisteredKernel& kernel = registry().kernel(function);
    const KernelFacts facts = facts_of(kernel);
    *attributes = {};
    attributes->sharedSizeBytes = facts.footprint.static_shared;
    attributes->constSizeBytes = facts.user_constant_bytes;
    attributes->localSizeBytes = facts.frame_bytes;
    attributes->maxThreadsPerBlock = max_threads_per_cta(profile(), facts.footprint);
    attributes->numRegs = static_cast<int>(facts.footprint.registers);
    attributes->ptxVersion = facts.ptx_architecture;
    attributes->binaryVersion = facts.binary_architecture;
    attributes->maxDynamicSharedSizeBytes = static_cast<int>(facts.footprint.dynamic_shared_limit);
    attributes->preferredShmemCarveout = kernel.shared_carveout;
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  return query([&] {
    RegisteredKernel& kernel = registry().kernel(function);
    switch (attribute) {
      case cudaFuncAttributeMaxDynamicSharedMemorySize: {
        const KernelFacts facts = facts_of(kernel);
        const int64_t most =
            int64_t{profile().shared_per_block_optin} - facts.footprint.static_shared;
        if (value < 0 || value > most) {
          throw ApiError(cudaErrorInvalidValue,
                         "cudaFuncSetAttribute: " + std::to_string(value) +
                             " bytes of dynamic shared memory for " + readable(kernel.name) +
                             "; this device allows 0 to " + std::to_string(most));
        }
        kernel.max_dynamic_shared = value;
        return cudaSuccess;
      }
      case cudaFuncAttributePreferredSharedMemoryCarveout:
        if (value < -1 || value > 100) return cudaErrorInvalidValue;
        kernel.shared_carveout = value;
        return cudaSuccess;
      case cudaFuncAttributeClusterDimMustBeSet:
      case cudaFuncAttributeRequiredClusterWidth:
      case cudaFuncAttributeRequiredClusterHeight:
      case cudaFuncAttributeRequiredClusterDepth:
      case cudaFuncAttributeNonPortableClusterSizeAllowed:
      case cudaFuncAttributeClusterSchedulingPolicyPreference:
        throw ApiError(cudaErrorNotSupported, "cudaFuncSetAttribute: clusters are not emulated");
      default:
        return cudaErrorInvalidValue;
    }
  });
}

cudaError_t cudaFuncGetName(const char** name, const void* function) {
  return query([&] {
    if (name == nullptr) return cudaErrorInvalidValue;
    *name = registry().kernel(function).name.c_str();
    return cudaSuccess;
  });
}

cudaError_t cudaFuncGetParamInfo(const void* function, size_t index, size_t* offset, size_t* size) {
  return query([&] {
    const KernelInfo& info = kernel_info(*facts_of(registry().kernel(function)).kernel);
    if (offset == nullptr || index >= info.params.size()) return cudaErrorInvalidValue;
    *offset = info.params[index].offset;
    if (size != nullptr) *size = info.params[index].size;
    return cudaSuccess;
  });
}

// Cache and bank preferences have no effect on any card this project knows.
cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache) {
  return query([&] {
    registry().kernel(function);
    return cudaSuccess;
  });
}

cudaError_t cudaFuncSetSharedMemConfig(const void* function, cudaSharedMemConfig) {
  return cudaFuncSetCacheConfig(function, cudaFuncCachePreferNone);
}
