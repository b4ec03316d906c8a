// The one place where a C++ pointer becomes a shared-space address.
#pragma once

#include <cstdint>

namespace tcd::ptx {

// ldmatrix and cp.async take a 32-bit address in the shared window, not a generic 64-bit pointer;
// passing the generic pointer is undefined behaviour that assembles without a word.
// PTX ISA 9.0, 9.7.9.21 (cvta) and 5.1.7 (shared state space).
__device__ inline uint32_t shared_address(const void* pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

}  // namespace tcd::ptx
