// What stands behind DeviceMemory: allocation records, and how a device address becomes a host one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>

#include "machine/device.h"

namespace tcd::emu {

struct WatchedRange;

// [lo, hi) of one live allocation; host pointer = address + delta. Instructions cache one each.
struct AccessCache {
  uint64_t lo = 1, hi = 0;
  uint64_t delta = 0;
  // checks/global_writes.h, from lo on; null: all of it is written, or nobody asks.
  uint8_t* written = nullptr;
  WatchedRange* watched = nullptr;  // checks/global_shadow.h; null: no CTA can race there
  bool is_checked() const { return written != nullptr || watched != nullptr; }
};

struct Allocation {
  uint64_t lo = 0, hi = 0;  // exactly the bytes asked for
  uint64_t slot_bytes = 0;  // address space taken, guard included
  uint64_t delta = 0;
  bool host_mapped = false;
  bool constant = false;         // .const: kernels may not write
  bool tracked = false;          // it has had bits in written_bits
  bool written = true;           // all bytes, by somebody
  mutable bool changed = false;  // somebody may have written the rest since that was looked at
  std::string name;              // variable's name; empty for cudaMalloc
};

// Windows of the generic address space. They lie at the start of the reserved range, so no host
// object and no allocation can have these addresses.
inline constexpr uint64_t kSharedWindowBytes = uint64_t{1} << 24;
inline constexpr uint64_t kLocalWindowBytes = uint64_t{1} << 24;
inline constexpr uint64_t kParamWindowBytes = uint64_t{1} << 20;
inline constexpr uint64_t kCodeWindowBytes = uint64_t{1} << 20;
inline constexpr uint64_t kCodeStep = 16;  // one function, one address

struct DeviceMemory::Impl {
  explicit Impl(uint64_t bytes);
  ~Impl();
  Impl(const Impl&) = delete;

  uint64_t shared_window() const { return base; }
  uint64_t local_window() const { return base + kSharedWindowBytes; }
  uint64_t param_window() const { return local_window() + kLocalWindowBytes; }
  uint64_t code_window() const { return param_window() + kParamWindowBytes; }

  uint64_t allocate(uint64_t bytes, uint64_t align, std::string name, bool constant);
  // Its bytes count as unwritten until somebody writes them; elsewhere all count as written.
  uint64_t allocate_unwritten(uint64_t bytes, uint64_t align);
  bool release(uint64_t address);

  // The live allocation that holds `address`, or false.
  bool find(uint64_t address, AccessCache& out) const;
  // For messages: what is at or near `address`, in words.
  std::string describe(uint64_t address, uint64_t bytes) const;
  bool is_constant(uint64_t address) const;
  // "byte 12 of the allocation [0x…, 0x…) of 4096 bytes".
  std::string place_in_allocation(uint64_t address) const;

  // Before a launch: are unwritten bytes to be looked for? Once they were not, they never are: what
  // that launch wrote is not known.
  void prepare_launch(bool checks_writes);
  void mark_written(uint64_t address, uint64_t bytes);

  // Address space for `bytes` of memory and addresses for `factor` times as much. False: none.
  bool reserve_all(uint64_t bytes, uint64_t factor);
  void release_all();
  uint8_t* bits_of(uint64_t lo) const;
  void forget_bits(const Allocation& allocation);

  uint64_t base = 0;  // first reserved device address
  uint64_t span = 0;  // bytes reserved, windows included
  std::byte* backing = nullptr;
  uint8_t* written_bits = nullptr;  // one for four bytes of backing; null: no address space for it
  bool checks_writes = true;
  uint64_t limit = 0;  // capacity; less than asked for where address space is limited
  uint64_t in_use = 0;
  uint64_t next = 0;  // addresses are handed out upwards, so that a stale pointer stays stale
  mutable std::shared_mutex mutex;
  std::map<uint64_t, Allocation> live;   // by lo; host-mapped ones too
  std::map<uint64_t, Allocation> freed;  // by lo; forgotten once their addresses are reused
  std::map<uint64_t, uint64_t> holes;    // reusable address ranges: lo → bytes
};

}  // namespace tcd::emu
