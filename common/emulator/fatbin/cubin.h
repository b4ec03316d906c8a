// What ptxas decided for each kernel, read from the machine code's ELF file.
//
// Registers and frame size stand in the section .nv.info as (format, attribute, size, value)
// records: attribute 0x2f is {symbol, registers}, 0x11 is {symbol, frame bytes}. Launch bounds
// stand in .nv.info.<kernel>, attribute 0x05. The formats are not documented by NVIDIA; the tests
// hold them against what `ptxas -v` prints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "fatbin/byte_reader.h"

namespace tcd::emu::fatbin {

struct KernelResources {
  uint32_t registers = 0;    // per thread
  uint32_t frame_bytes = 0;  // stack frame, spill slots included
  uint32_t static_shared_bytes = 0;
  uint32_t user_constant_bytes = 0;  // __constant__ variables of the module, whoever uses them
  uint32_t max_threads = 0;          // product of __launch_bounds__' first argument; 0: none
};

// Mangled kernel name → resources. Throws FatbinError on anything that is not a CUDA ELF file.
std::map<std::string, KernelResources, std::less<>> read_cubin(std::span<const std::byte> elf);

}  // namespace tcd::emu::fatbin
