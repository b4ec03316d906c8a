// The memory kernels of Day 00 (bandwidth.cu). Sizes are multiples of 16 bytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace day {

// Word i of a buffer holds i · kPatternStep + seed, modulo 2³²: no two near each other are equal.
constexpr uint32_t kPatternStep = 0x9E3779B1u;

struct Differences {
  unsigned long long count;  // words that do not hold the pattern
  unsigned long long first;  // the lowest of them
};

int read_sums(int ctas);  // words that launch_read() writes
void launch_read(int ctas, const void* from, size_t bytes, int passes, uint32_t* sums);
void launch_write(int ctas, void* to, size_t bytes, uint32_t seed);
void launch_copy(int ctas, void* to, const void* from, size_t bytes);
// `found` starts as {0, ~0}.
void launch_compare(int ctas, const void* words, size_t bytes, uint32_t seed, Differences* found);

}  // namespace day
