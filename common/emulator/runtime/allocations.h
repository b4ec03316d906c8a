// Every block of memory the program got from the runtime, and what a pointer means.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "machine/device.h"

namespace tcd::emu::runtime {

enum class AllocationKind : uint8_t {
  kDevice,      // cudaMalloc and its relatives
  kPinned,      // cudaMallocHost, cudaHostAlloc
  kRegistered,  // the program's own memory, cudaHostRegister
  kManaged,     // cudaMallocManaged, __managed__
};

struct Allocation {
  uint64_t address = 0, bytes = 0;
  AllocationKind kind = AllocationKind::kDevice;
  unsigned flags = 0;
};

class Allocations {
 public:
  // Device memory, 256-byte aligned. Throws std::bad_alloc when the card has no more.
  void* allocate_device(uint64_t bytes);
  // Host memory (page-aligned) that kernels reach at the same address. Throws std::bad_alloc.
  void* allocate_host(uint64_t bytes, AllocationKind kind, unsigned flags);
  // False when part of it is registered already.
  bool register_host(void* host, uint64_t bytes, unsigned flags);
  // False when `pointer` is not the start of a live allocation. Releases any kind.
  bool release(void* pointer);
  // The allocation that holds this address, or nullptr.
  const Allocation* find(const void* pointer) const;
  void release_all();

  // What a copy may touch. kHost is memory the runtime knows nothing about.
  enum class Where { kHost, kDevice, kMapped /* pinned, registered or managed */, kInvalid };
  struct View {
    Where where = Where::kInvalid;
    std::byte* bytes = nullptr;  // where the host can read and write it
  };
  // kInvalid: null, or device memory that is not one live allocation over the whole length.
  View view(const void* pointer, uint64_t bytes, DeviceMemory::HostUse use) const;

 private:
  std::map<uint64_t, Allocation> blocks_;  // by start address
};

Allocations& allocations();

}  // namespace tcd::emu::runtime
