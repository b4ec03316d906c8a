// Fuzz target: any text becomes a program whose kernels are decoded, or one of three exceptions.
// Control flow is part of decoding. Memory is small, so that greedy variables are met.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "machine/program.h"
#include "ptx/parser.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace tcd::emu;
  static DeviceMemory memory(uint64_t{64} << 20);
  static const Profile& profile = *find_profile("h100");  // has every instruction we know
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const Program::Impl program(ptx::parse(text), memory.impl(), profile);
    for (const auto& [name, kernel] : program.kernels) {
      try {
        kernel->decode();
      } catch (const DecodeError&) {  // the next kernel may be sound
      }
    }
  } catch (const ptx::ParseError&) {
  } catch (const OutOfDeviceMemory&) {
  }
  if (memory.used() != 0) __builtin_trap();  // a refused module leaves nothing behind
  return 0;
}
