// A loaded module: the addresses of its variables, its kernels, and their decoded functions.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "checks/written_pointers.h"
#include "machine/code.h"
#include "machine/device.h"
#include "machine/memory.h"

namespace tcd::emu {

// Thrown by decoding: what the emulator or the device cannot run.
struct DecodeError {
  Fault fault;  // kUnsupported or kIllegalInstruction
  std::string message;
};

// A kernel has decoded copies of its own of all functions it calls: offsets of shared variables
// differ between kernels.
struct Kernel {
  KernelInfo info;
  Program::Impl* program = nullptr;
  int function = -1;  // index into ptx::Module::functions
  std::unordered_map<std::string, uint32_t> shared_offsets;

  const Code& decode() const;  // throws DecodeError, each time it is asked
  const WrittenPointers& written() const;

  std::vector<std::unique_ptr<Code>> codes;  // by function index; empty until decoded
  uint32_t slots = 1;                        // access caches handed out
  std::vector<int> pending;                  // callees still to decode
  bool calls_indirectly = false;
  mutable std::unique_ptr<WrittenPointers> found_written;  // null until asked
  mutable std::mutex mutex;
};

struct Program::Impl {
  Impl(const ptx::Module& source, DeviceMemory::Impl& device_memory, const Profile& device_profile);
  ~Impl();
  Impl(const Impl&) = delete;

  int function_index(const std::string& name) const;    // -1: none
  uint64_t function_address(int index) const;           // what a function pointer holds
  const Symbol* symbol(const std::string& name) const;  // .global and .const; nullptr: none

  ptx::Module module;
  DeviceMemory::Impl& memory;
  const Profile& profile;
  std::unordered_map<std::string, int> functions;
  std::unordered_map<std::string, Symbol> symbols;
  std::unordered_map<std::string, std::unique_ptr<Kernel>> kernels;

 private:
  void place_variables();
  void release_variables();
  void describe_kernel(int index);
};

}  // namespace tcd::emu
