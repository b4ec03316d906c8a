// Kernel names as people write them. A PTX file names its kernels, so a name may mean harm.
#pragma once

#include <string>

namespace tcd::emu {

// "_Z6matmulPKfS0_" → "matmul(float const*, float const*)". What is no mangled name comes back as
// it is. Bounded: a short mangled name can stand for a text of any length, because every back
// reference (S_, T_) may double what has been said so far. Where that could go beyond some MB, only
// the function's own name is read: "cutlass::Kernel<...>". At most kLongestName bytes.
std::string demangle(const std::string& name);
inline constexpr size_t kLongestName = 4096;

}  // namespace tcd::emu
