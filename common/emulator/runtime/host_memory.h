// How much memory this machine can still give. Emulated device memory is host memory: a card's
// 141 GB fit into few laptops, and a program that touches more than there is would be killed.
#pragma once

#include <cstdint>

namespace tcd::emu::runtime {

// What the kernel calls available, with swap; less where the process's control group allows less.
uint64_t host_memory_left();

}  // namespace tcd::emu::runtime
