// How many CTAs of a kernel fit on one SM. Plain arithmetic, without the CUDA headers.
//
// Registers are handed out per warp in units of 256, from four banks of 16,384, one for each
// scheduler; shared memory per CTA in units of 256 bytes (7.x) or 128 bytes (8.0 and later), on top
// of the 1 KiB the system takes from 8.0 on. Source: NVIDIA's occupancy calculator
// (cuda_occupancy.h); the test compares every profile with it.
#pragma once

#include <cstdint>

#include "profiles/profile.h"

namespace tcd::emu {

struct KernelFootprint {
  uint32_t registers = 0;               // per thread; 0: unknown, does not limit
  uint32_t static_shared = 0;           // bytes
  uint32_t max_threads = 0;             // __launch_bounds__; 0: none
  uint32_t dynamic_shared_limit = ~0u;  // bytes a launch may ask for (48 KiB until opted in)
};

// CTAs per SM for CTAs of `threads` threads and `dynamic_shared` bytes; 0: not even one fits. Like
// the runtime, it asks what the SM can hold and does not look at __launch_bounds__.
int ctas_per_sm(const Profile& gpu, const KernelFootprint& kernel, uint32_t threads,
                uint64_t dynamic_shared);

// The largest CTA the registers allow, in threads (whole warps, at most 1024).
int max_threads_per_cta(const Profile& gpu, const KernelFootprint& kernel);

// Bytes of dynamic shared memory each CTA may use while `ctas` of them stay resident; -1: they do
// not fit at all. Like the runtime (recorded on an H200), it forgets the reserved 1 KiB of each
// CTA: where shared memory is what limits, one CTA less fits than asked for.
int64_t available_dynamic_shared(const Profile& gpu, const KernelFootprint& kernel, int ctas,
                                 uint32_t threads);

}  // namespace tcd::emu
