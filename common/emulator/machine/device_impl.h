// What stands behind Device, and text helpers of its error messages.
#pragma once

#include <atomic>
#include <string>

#include "machine/cta.h"
#include "machine/demangle.h"
#include "machine/device.h"

namespace tcd::emu {

struct Device::Impl {
  Impl(const Profile& profile, int threads, double timeout_seconds);
  const Profile& profile;
  DeviceMemory memory;
  int threads;
  double timeout_seconds;
  CheckSettings checks;
  std::atomic<uint64_t> launches{0};
};

// "ld.shared.v4.f32 {%f1, …}, [%r3+16];"
std::string text_of(const ptx::Function& function, const ptx::Instruction& instruction);
// "kernel.cu:42" with the innermost line in brackets when it was inlined; empty: unknown.
std::string place_of(const ptx::Module& module, const ptx::SourceLocation& location);
[[noreturn]] void timeout(Cta& cta);

}  // namespace tcd::emu
