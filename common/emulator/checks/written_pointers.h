// Through which pointers a kernel stores, read from its text before it runs.
//
// Only memory that a launch may write can hold a race in it, and what a GEMM reads most it never
// writes: with this known, its inputs cost nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "machine/device.h"
#include "ptx/ast.h"

namespace tcd::emu {

struct WrittenPointers {
  std::vector<uint32_t> params;      // of the kernel, by offset in the parameter block
  std::vector<std::string> symbols;  // __device__ variables
  bool unknown = false;              // pointers from memory, or in a function that is called
  uint32_t smallest = 0;  // bytes that one lane stores at least; 0: nothing is stored plainly
  bool orders = false;    // a fence beyond the CTA: CTAs may wait for each other
};

// Every address is traced back through the registers it was computed from, whatever the path.
WrittenPointers written_pointers(const ptx::Module& module, const ptx::Function& kernel,
                                 const KernelInfo& info);

}  // namespace tcd::emu
