#include "runtime/allocations.h"

#include <cstdlib>
#include <new>
#include <string>
#include <utility>

#include "runtime/device_state.h"
#include "runtime/error_state.h"
#include "runtime/host_memory.h"

namespace tcd::emu::runtime {
namespace {

constexpr uint64_t kPage = 4096;

bool is_ours(AllocationKind kind) {
  return kind == AllocationKind::kPinned || kind == AllocationKind::kManaged;
}

std::string mib(uint64_t bytes) {
  return std::to_string((bytes >> 20) + (bytes % (1 << 20) != 0)) + " MiB";
}

// Said once: a program may look for the largest block it can get.
[[noreturn]] void no_memory(const std::string& why) {
  static bool said = false;
  if (!std::exchange(said, true)) throw ApiError(cudaErrorMemoryAllocation, why);
  throw std::bad_alloc();
}

// Refuses what this machine could not hold if it were touched. Small blocks are not looked at.
void need_host_memory(uint64_t bytes) {
  constexpr uint64_t kSmall = uint64_t{64} << 20;
  if (bytes < kSmall) return;
  const uint64_t left = host_memory_left();
  if (bytes <= left) return;
  no_memory("the program asked for " + mib(bytes) + " at once, and this machine has " + mib(left) +
            " of memory left; emulated memory is the machine's own");
}

}  // namespace

Allocations& allocations() {
  static auto* all = new Allocations;  // exit handlers may still free
  return *all;
}

void* Allocations::allocate_device(uint64_t bytes) {
  DeviceMemory& memory = device().memory();
  if (bytes <= memory.capacity() - memory.used()) need_host_memory(bytes);
  const uint64_t address = memory.allocate(bytes);
  if (address == 0) {
    no_memory("the program asked for " + mib(bytes) + "; the emulated " +
              std::string(profile().device_name) + " has " + mib(memory.capacity()) +
              " of memory, " + mib(memory.used()) + " of it in use");
  }
  blocks_[address] = {address, bytes, AllocationKind::kDevice, 0};
  return reinterpret_cast<void*>(address);
}

void* Allocations::allocate_host(uint64_t bytes, AllocationKind kind, unsigned flags) {
  if (bytes > UINT64_MAX - kPage) throw std::bad_alloc();
  need_host_memory(bytes);
  void* host = std::aligned_alloc(kPage, (bytes + kPage - 1) / kPage * kPage);
  if (host == nullptr) throw std::bad_alloc();
  device().memory().map_host(host, bytes);
  const auto address = reinterpret_cast<uint64_t>(host);
  blocks_[address] = {address, bytes, kind, flags};
  return host;
}

bool Allocations::register_host(void* host, uint64_t bytes, unsigned flags) {
  const auto address = reinterpret_cast<uint64_t>(host);
  const auto after = blocks_.lower_bound(address);
  if (after != blocks_.end() && after->first < address + bytes) return false;
  if (find(host) != nullptr) return false;
  device().memory().map_host(host, bytes);
  blocks_[address] = {address, bytes, AllocationKind::kRegistered, flags};
  return true;
}

bool Allocations::release(void* pointer) {
  const auto found = blocks_.find(reinterpret_cast<uint64_t>(pointer));
  if (found == blocks_.end()) return false;
  const Allocation block = found->second;
  blocks_.erase(found);
  if (block.kind == AllocationKind::kDevice) return device().memory().release(block.address);
  device().memory().unmap_host(pointer);
  if (is_ours(block.kind)) std::free(pointer);
  return true;
}

const Allocation* Allocations::find(const void* pointer) const {
  const auto address = reinterpret_cast<uint64_t>(pointer);
  auto next = blocks_.upper_bound(address);
  if (next == blocks_.begin()) return nullptr;
  const Allocation& block = std::prev(next)->second;
  return address - block.address < block.bytes ? &block : nullptr;
}

void Allocations::release_all() {
  while (!blocks_.empty()) release(reinterpret_cast<void*>(blocks_.begin()->first));
}

Allocations::View Allocations::view(const void* pointer, uint64_t bytes,
                                    DeviceMemory::HostUse use) const {
  if (pointer == nullptr) return {};
  const auto address = reinterpret_cast<uint64_t>(pointer);
  DeviceMemory& memory = device().memory();
  if (memory.is_device_address(address)) {
    std::byte* host = memory.host_view(address, bytes, use);
    return {host != nullptr ? Where::kDevice : Where::kInvalid, host};
  }
  auto* host = static_cast<std::byte*>(const_cast<void*>(pointer));
  const Allocation* block = find(pointer);
  if (block == nullptr) return {Where::kHost, host};
  if (bytes > block->address + block->bytes - address) return {};
  return {Where::kMapped, host};
}

}  // namespace tcd::emu::runtime
