// cp.async: 16 bytes from global to shared memory without passing through registers, and without
// waiting. Copies are collected into groups; a wait names how many groups may still be in flight.
#pragma once

#include <cstdint>

namespace tcd::ptx {

// Starts copying 16 bytes past L1 (.cg). `shared` and `global` are 16-byte aligned. The bytes may
// arrive at any moment from now until the wait that covers them: until then the destination may be
// neither read nor written.
// PTX ISA 9.0, 9.7.9.25.3.1. Requires sm_80.
__device__ inline void cp_async_16(uint32_t shared, const void* global) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(global) : "memory");
}

// The same, and L2 is told to fetch the other 112 bytes of the 128 as well: the neighbours' copies
// want them. A hint; it changes no result.
__device__ inline void cp_async_16_of_128(uint32_t shared, const void* global) {
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(shared), "l"(global)
               : "memory");
}

// cp_async_16(), but only the first `bytes` (0–16) are read; the rest of the 16 becomes zero.
// `global` must be a valid address only if bytes > 0.
__device__ inline void cp_async_16_zero_fill(uint32_t shared, const void* global, int bytes) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(global),
               "r"(bytes)
               : "memory");
}

// Closes the group of all copies this thread has started since the last commit (maybe none).
// PTX ISA 9.0, 9.7.9.25.3.2.
__device__ inline void cp_async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

// Waits until at most `kInFlight` of this thread's newest groups are still in flight. It says
// nothing about other threads' copies: a barrier must follow. PTX ISA 9.0, 9.7.9.25.3.3.
template <int kInFlight>
__device__ inline void cp_async_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kInFlight) : "memory");
}

}  // namespace tcd::ptx
