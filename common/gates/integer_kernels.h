// The innermost block of the integer product, one version for each instruction set.
#pragma once

#include <cstdint>
#include <vector>

namespace tcd::integer_kernels {

inline constexpr int kMr = 6;   // rows of a block: 12 AVX-512 or, in two passes, 12 AVX2 sums
inline constexpr int kNr = 32;  // columns of a block

struct Kernel {
  const char* name;
  // a: [pairs][kMr][2], b: [pairs][kNr][2]; writes out[kMr][kNr], all int32 sums over the pairs.
  void (*multiply)(int pairs, const std::int16_t* a, const std::int16_t* b, std::int32_t* out);
};

// What this CPU runs, best first; "portable" is always last.
const std::vector<Kernel>& available();

}  // namespace tcd::integer_kernels
