// Everything known about one kernel: from its PTX, and from the machine code beside it.
#pragma once

#include "runtime/occupancy_model.h"
#include "runtime/registry.h"

namespace tcd::emu::runtime {

struct KernelFacts {
  const Kernel* kernel = nullptr;
  KernelFootprint footprint;
  uint32_t frame_bytes = 0, user_constant_bytes = 0;
  int ptx_architecture = 0, binary_architecture = 0;
};

// Loads the kernel's module on first use. Throws ApiError.
KernelFacts facts_of(const RegisteredKernel& kernel);

}  // namespace tcd::emu::runtime
