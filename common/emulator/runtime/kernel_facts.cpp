#include "runtime/kernel_facts.h"

#include <algorithm>

#include "runtime/device_state.h"

namespace tcd::emu::runtime {

KernelFacts facts_of(const RegisteredKernel& registered) {
  LoadedModule& module = *registered.module;
  KernelFacts facts;
  facts.kernel = module.program().find_kernel(registered.name);
  if (facts.kernel == nullptr && !module.left_out().empty()) {
    throw ApiError(cudaErrorNoKernelImageForDevice,
                   "kernel " + readable(registered.name) + ": " + module.left_out());
  }
  if (facts.kernel == nullptr) {
    throw ApiError(cudaErrorInvalidDeviceFunction,
                   "kernel " + readable(registered.name) + " is not in the PTX for compute_" +
                       std::to_string(module.ptx_architecture()) +
                       "; was it compiled under an #if on __CUDA_ARCH__?");
  }
  const KernelInfo& info = kernel_info(*facts.kernel);
  facts.ptx_architecture = module.ptx_architecture();
  facts.footprint.static_shared = info.static_shared_bytes;
  facts.footprint.max_threads = info.max_threads;
  facts.frame_bytes = info.local_bytes;
  facts.binary_architecture = profile().compute();  // what PTX would be compiled to

  if (const fatbin::KernelResources* known = module.resources(registered.name)) {
    facts.footprint.registers = known->registers;
    facts.frame_bytes = known->frame_bytes;
    facts.user_constant_bytes = known->user_constant_bytes;
    if (!module.resources_are_approximate()) {
      facts.binary_architecture = module.binary_architecture();
      facts.footprint.static_shared = known->static_shared_bytes;
    }
  } else {
    note_once("no machine code is embedded for " + readable(registered.name) +
              ": its register count is unknown and reported as 0");
  }
  const uint32_t without_opt_in =
      profile().shared_per_block -
      std::min(profile().shared_per_block, facts.footprint.static_shared);
  facts.footprint.dynamic_shared_limit = registered.max_dynamic_shared < 0
                                             ? without_opt_in
                                             : static_cast<uint32_t>(registered.max_dynamic_shared);
  return facts;
}

}  // namespace tcd::emu::runtime
