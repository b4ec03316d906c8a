// Through which pointers a kernel stores, read from its text before it runs; and which of its plain
// accesses meet atomics.
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
  bool atomics = false;   // memory that atomics change is accessed plainly as well
  // By instruction of the kernel: a plain load that atomics through the same pointer may follow is
  // their guess (a compare-and-swap loop; `if (v < *p) atomicMin(p, v)`); a plain store that may
  // come after them is made by whom the atomic chose (the last CTA sets the counter back).
  std::vector<bool> goes_with_atomics;
};

// Every address is traced back through the registers it was computed from, whatever the path.
WrittenPointers written_pointers(const ptx::Module& module, const ptx::Function& kernel,
                                 const KernelInfo& info);

}  // namespace tcd::emu
