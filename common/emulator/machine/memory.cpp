#include "machine/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "checks/global_writes.h"
#include "hex.h"

namespace tcd::emu {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kLeastMemory = uint64_t{64} << 20;  // a device with less is of no use

uint64_t round_up(uint64_t value, uint64_t to) { return (value + to - 1) / to * to; }

void* reserve(uint64_t bytes, int protection) {
  void* at = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return at == MAP_FAILED ? nullptr : at;
}

// A tile's rows lie a row of the matrix apart, each on a page of its own: 256 of them at 4096³,
// more than the first-level TLB holds. Only where pages are wholly the allocation's.
void ask_for_huge_pages(uint64_t host, uint64_t bytes) {
  constexpr uint64_t kHuge = 2 << 20;
  const uint64_t first = round_up(host, kHuge), end = (host + bytes) / kHuge * kHuge;
  if (end > first) madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
}

std::string called(const Allocation& a) {
  std::string what = a.name.empty() ? "allocation" : "variable '" + a.name + "'";
  return what + " [" + hex(a.lo) + ", " + hex(a.hi) + ") of " + std::to_string(a.hi - a.lo) +
         " bytes";
}

}  // namespace

DeviceMemory::Impl::Impl(uint64_t bytes) {
  // Twice the capacity, so that freed addresses need not be reused soon and guards fit between.
  // Only address space: pages cost nothing until they are touched. Where `ulimit -v` leaves too
  // little of it the device gets smaller, by halves; as much again stays for the program.
  if (reserve_all(bytes, 2) || reserve_all(bytes, 1)) return;
  for (uint64_t smaller = bytes / 2; smaller >= kLeastMemory; smaller /= 2) {
    if (!reserve_all(smaller, 1)) continue;
    void* const rest = reserve(2 * span, PROT_NONE);
    if (rest != nullptr) {
      munmap(rest, 2 * span);
      return;
    }
    release_all();
  }
  throw OutOfDeviceMemory("not even " + std::to_string(kLeastMemory >> 20) +
                          " MiB of address space are left for the emulated device's memory; look "
                          "at `ulimit -v` and /proc/sys/vm/overcommit_memory");
}

bool DeviceMemory::Impl::reserve_all(uint64_t bytes, uint64_t factor) {
  const uint64_t windows =
      kSharedWindowBytes + kLocalWindowBytes + kParamWindowBytes + kCodeWindowBytes;
  span = round_up(windows + factor * bytes + (uint64_t{64} << 20), kPage);
  base = reinterpret_cast<uint64_t>(reserve(span, PROT_NONE));
  backing = static_cast<std::byte*>(reserve(span, PROT_READ | PROT_WRITE));
  if (base == 0 || backing == nullptr) {
    release_all();
    return false;
  }
  written_bits =
      static_cast<uint8_t*>(reserve(span / WrittenBits::kBytesEach, PROT_READ | PROT_WRITE));
  next = base + windows + kPage;
  limit = bytes;
  return true;
}

void DeviceMemory::Impl::release_all() {
  if (base != 0) munmap(reinterpret_cast<void*>(base), span);
  if (backing != nullptr) munmap(backing, span);
  if (written_bits != nullptr) munmap(written_bits, span / WrittenBits::kBytesEach);
  base = 0;
  backing = nullptr;
  written_bits = nullptr;
}

DeviceMemory::Impl::~Impl() { release_all(); }

uint8_t* DeviceMemory::Impl::bits_of(uint64_t lo) const {
  return written_bits + (lo - base) / WrittenBits::kBytesEach;
}

// Whole pages are given back; what is left at both ends belongs to a page with neighbours.
void DeviceMemory::Impl::forget_bits(const Allocation& a) {
  const auto first = reinterpret_cast<uint64_t>(bits_of(a.lo));
  const uint64_t end =
      first + round_up(a.hi - a.lo, WrittenBits::kBytesEach) / WrittenBits::kBytesEach;
  const uint64_t from = std::min(round_up(first, kPage), end);
  const uint64_t to = std::max(from, end / kPage * kPage);
  std::memset(reinterpret_cast<void*>(first), 0, from - first);
  if (to > from) madvise(reinterpret_cast<void*>(from), to - from, MADV_DONTNEED);
  std::memset(reinterpret_cast<void*>(to), 0, end - to);
}

uint64_t DeviceMemory::Impl::allocate_unwritten(uint64_t bytes, uint64_t align) {
  const uint64_t lo = allocate(bytes, align, {}, false);
  if (lo == 0 || written_bits == nullptr) return lo;
  const std::unique_lock lock(mutex);
  live[lo].tracked = true;
  live[lo].written = false;
  return lo;
}

void DeviceMemory::Impl::mark_written(uint64_t address, uint64_t bytes) {
  const std::unique_lock lock(mutex);
  auto it = live.upper_bound(address);
  if (it == live.begin()) return;
  Allocation& at = (--it)->second;
  if (at.written) return;
  if (address == at.lo && bytes == at.hi - at.lo) {
    at.written = true;
    return;
  }
  WrittenBits(bits_of(at.lo)).mark_range(address - at.lo, bytes);
  at.changed = true;
}

void DeviceMemory::Impl::prepare_launch(bool check) {
  checks_writes = checks_writes && check;
  if (!checks_writes) return;
  const std::unique_lock lock(mutex);
  for (auto& [lo, at] : live) {
    if (at.written || !at.changed) continue;
    at.changed = false;
    at.written = WrittenBits(bits_of(lo)).all(at.hi - lo);
  }
}

uint64_t DeviceMemory::Impl::allocate(uint64_t bytes, uint64_t align, std::string name,
                                      bool constant) {
  std::unique_lock lock(mutex);
  const uint64_t charged = round_up(std::max<uint64_t>(bytes, 1), 512);
  if (bytes > limit || in_use + charged > limit) return 0;
  // A whole guard page beyond each allocation: an overrun by one element never meets a neighbour.
  const uint64_t step = std::max(align, kPage);
  const uint64_t slot = round_up(std::max<uint64_t>(bytes, 1), kPage) + kPage;
  uint64_t lo = round_up(next, step);
  if (lo + slot <= base + span) {
    next = lo + slot;
  } else {
    lo = 0;
    for (auto hole = holes.begin(); hole != holes.end(); ++hole) {
      const uint64_t at = round_up(hole->first, step);
      const uint64_t end = hole->first + hole->second;
      if (at + slot > end) continue;
      const uint64_t first = hole->first;
      holes.erase(hole);
      if (at > first) holes[first] = at - first;
      if (at + slot < end) holes[at + slot] = end - at - slot;
      lo = at;
      break;
    }
    if (lo == 0) return 0;
    auto stale = freed.lower_bound(lo);
    while (stale != freed.end() && stale->first < lo + slot) stale = freed.erase(stale);
  }
  Allocation record;
  record.lo = lo;
  record.hi = lo + bytes;
  record.slot_bytes = slot;
  record.delta = reinterpret_cast<uint64_t>(backing) - base;
  record.constant = constant;
  record.name = std::move(name);
  ask_for_huge_pages(lo + record.delta, bytes);
  in_use += charged;
  live[lo] = std::move(record);
  return lo;
}

bool DeviceMemory::Impl::release(uint64_t address) {
  std::unique_lock lock(mutex);
  const auto it = live.find(address);
  if (it == live.end() || it->second.host_mapped) return false;
  const Allocation record = it->second;
  live.erase(it);
  in_use -= round_up(std::max<uint64_t>(record.hi - record.lo, 1), 512);
  madvise(reinterpret_cast<void*>(record.lo + record.delta), record.slot_bytes, MADV_DONTNEED);
  if (record.tracked) forget_bits(record);
  freed[record.lo] = record;
  uint64_t lo = record.lo, bytes = record.slot_bytes;
  if (const auto after = holes.find(lo + bytes); after != holes.end()) {
    bytes += after->second;
    holes.erase(after);
  }
  if (auto before = holes.lower_bound(lo); before != holes.begin()) {
    --before;
    if (before->first + before->second == lo) {
      before->second += bytes;
      return true;
    }
  }
  holes[lo] = bytes;
  return true;
}

bool DeviceMemory::Impl::find(uint64_t address, AccessCache& out) const {
  std::shared_lock lock(mutex);
  auto it = live.upper_bound(address);
  if (it == live.begin()) return false;
  --it;
  if (address >= it->second.hi) return false;
  const Allocation& found = it->second;
  out = {found.lo, found.hi, found.delta, nullptr};
  if (!found.written && checks_writes) {
    out.written = bits_of(found.lo);
    __atomic_store_n(&found.changed, true, __ATOMIC_RELAXED);
  }
  return true;
}

bool DeviceMemory::Impl::is_constant(uint64_t address) const {
  std::shared_lock lock(mutex);
  auto it = live.upper_bound(address);
  return it != live.begin() && (--it, address < it->second.hi) && it->second.constant;
}

std::string DeviceMemory::Impl::place_in_allocation(uint64_t address) const {
  std::shared_lock lock(mutex);
  auto it = live.upper_bound(address);
  if (it == live.begin()) return "of no allocation";
  --it;
  return "byte " + std::to_string(address - it->first) + " of the " + called(it->second);
}

std::string DeviceMemory::Impl::describe(uint64_t address, uint64_t bytes) const {
  std::shared_lock lock(mutex);
  if (address < 65536) {
    return address == 0 ? "a null pointer was dereferenced"
                        : "a null pointer plus " + std::to_string(address) + " was dereferenced";
  }
  for (const auto& [lo, record] : freed) {
    if (address >= lo && address < record.hi) {
      return "the memory was freed before: " + called(record) + ", byte " +
             std::to_string(address - lo) + " (use after free)";
    }
  }
  if (address >= base && address < base + kSharedWindowBytes) return "that is shared memory";
  if (address >= local_window() && address < param_window()) return "that is local memory";
  auto after = live.upper_bound(address);
  const Allocation* best = nullptr;
  uint64_t distance = ~uint64_t{0};
  if (after != live.end()) {
    best = &after->second;
    distance = after->first - address;
  }
  if (after != live.begin()) {
    const Allocation& before = std::prev(after)->second;
    if (address < before.hi) {
      return "the access of " + std::to_string(bytes) + " bytes runs over the end of " +
             called(before);
    }
    if (address - before.hi <= distance) {
      return std::to_string(address - before.hi) + " bytes past the end of the nearest " +
             called(before);
    }
  }
  if (address < base || address >= base + span) {
    return "that is no device address; is it a host pointer? Copy the data with cudaMemcpy and "
           "pass the device pointer";
  }
  if (best == nullptr) return "nothing is allocated on the device";
  return std::to_string(distance) + " bytes before the nearest " + called(*best);
}

DeviceMemory::DeviceMemory(uint64_t bytes) : impl_(std::make_unique<Impl>(bytes)) {}
DeviceMemory::~DeviceMemory() = default;

uint64_t DeviceMemory::allocate(uint64_t bytes, uint64_t align) {
  return impl_->allocate_unwritten(bytes, align);
}

bool DeviceMemory::release(uint64_t address) { return impl_->release(address); }

void DeviceMemory::map_host(void* host, uint64_t bytes) {
  std::unique_lock lock(impl_->mutex);
  Allocation record;
  record.lo = reinterpret_cast<uint64_t>(host);
  record.hi = record.lo + bytes;
  record.host_mapped = true;
  impl_->live[record.lo] = record;
}

void DeviceMemory::unmap_host(void* host) {
  std::unique_lock lock(impl_->mutex);
  const auto it = impl_->live.find(reinterpret_cast<uint64_t>(host));
  if (it != impl_->live.end() && it->second.host_mapped) impl_->live.erase(it);
}

std::byte* DeviceMemory::host_view(uint64_t address, uint64_t bytes, HostUse use) {
  AccessCache record;
  if (!impl_->find(address, record) || bytes > record.hi - address) return nullptr;
  if (use == HostUse::kWrite) impl_->mark_written(address, bytes);
  return reinterpret_cast<std::byte*>(address + record.delta);
}

bool DeviceMemory::is_device_address(uint64_t address) const {
  return address >= impl_->base && address - impl_->base < impl_->span;
}

uint64_t DeviceMemory::used() const {
  std::shared_lock lock(impl_->mutex);
  return impl_->in_use;
}

uint64_t DeviceMemory::capacity() const { return impl_->limit; }

}  // namespace tcd::emu
