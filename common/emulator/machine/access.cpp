// Accesses the handlers' fast checks did not cover: another allocation, a window of the generic
// address space, or an error to explain.
#include <bit>
#include <cstdio>

#include "checks/global_shadow.h"
#include "checks/global_writes.h"
#include "hex.h"
#include "machine/cta.h"
#include "machine/device_impl.h"
#include "machine/each_lane.h"
#include "machine/memory_flags.h"

namespace tcd::emu {

namespace {

AccessPath path_of(const MicroOp* op, AccessKind kind) {
  switch (kind) {
    case AccessKind::kStore:
      return AccessPath::kStore;
    case AccessKind::kAtomic:
      return AccessPath::kAtomic;
    case AccessKind::kAsyncCopy:
      return (op->flags & kBypassL1) != 0 ? AccessPath::kBypass : AccessPath::kLoad;
    default:
      return (op->flags & kStrong) != 0 ? AccessPath::kBypass : AccessPath::kLoad;
  }
}

}  // namespace

void trace_access(Warp& w, const MicroOp* op, uint32_t mask, const uint64_t* a, uint64_t offset,
                  uint32_t bytes, AccessKind kind) {
  if (kind == AccessKind::kLoad && (op->flags & kConstSpace) != 0) return;
  // Generic addresses may mean shared or local memory.
  const DeviceMemory::Impl& memory = *w.launch->memory;
  const uint64_t start = memory.shared_window(), windows = memory.code_window() - start;
  uint32_t global = 0;
  each_lane(mask, [&](int i) { global |= uint32_t{a[i] + offset - start >= windows} << i; });
  if (global != 0) w.trace->add(op->slot, path_of(op, kind), global, a, offset, bytes);
}
namespace {

const char* verb(AccessKind kind) {
  switch (kind) {
    case AccessKind::kStore:
      return "write";
    case AccessKind::kAtomic:
      return "atomic update";
    case AccessKind::kAsyncCopy:
      return "asynchronous copy";
    case AccessKind::kMatrix:
    case AccessKind::kMatrixStore:
      return "matrix row";
    default:
      return "read";
  }
}

std::string access_text(AccessKind kind, uint32_t bytes, const char* space, uint64_t address) {
  return std::string(verb(kind)) + " of " + std::to_string(bytes) + " bytes at " + space +
         " address " + hex(address);
}

[[noreturn]] void fail_misaligned(Warp& w, const MicroOp* op, uint32_t mask, uint64_t address,
                                  uint32_t bytes, AccessKind kind, const char* space) {
  fail(w, op, Fault::kMisalignedAddress, mask,
       "misaligned address: " + access_text(kind, bytes, space, address) +
           ", which is no multiple of " + std::to_string(bytes) + " (off by " +
           std::to_string(address % bytes) + ")",
       "Vector accesses need addresses that are multiples of their size: look at the row length, "
       "the offset and the cast.");
}

// All lanes that fail like the first one, for the report's count.
template <class F>
uint32_t all_such(uint32_t mask, F&& is_bad) {
  uint32_t bad = 0;
  for (; mask != 0; mask &= mask - 1) {
    const int i = std::countr_zero(mask);
    if (is_bad(i)) bad |= 1u << i;
  }
  return bad;
}

std::byte* in_window(Warp& w, const MicroOp* op, int lane, uint64_t address, uint32_t bytes,
                     AccessKind kind) {
  DeviceMemory::Impl& memory = *w.launch->memory;
  if (address >= memory.shared_window() && address < memory.local_window()) {
    const uint64_t offset = address - memory.shared_window();
    if (offset + bytes > w.shared_bytes || offset % bytes != 0) {
      uint64_t addresses[kLanes] = {};
      addresses[lane] = offset;
      fail_shared(w, op, 1u << lane, addresses, bytes, kind);
    }
    return w.shared + offset;
  }
  if (address >= memory.local_window() && address < memory.param_window()) {
    const uint64_t offset = address - memory.local_window();
    if (offset + bytes > w.local_bytes || offset % bytes != 0) {
      fail_local(w, op, lane, offset, bytes);
    }
    return w.local_of(lane) + offset;
  }
  if (address >= memory.param_window() && address < memory.code_window() &&
      kind == AccessKind::kLoad) {
    const uint64_t offset = address - memory.param_window();
    if (offset + bytes <= w.launch->info->param_bytes && offset % bytes == 0) {
      return w.launch->params.data() + offset;
    }
  }
  return nullptr;
}

}  // namespace

void resolve_slow(Warp& w, const MicroOp* op, uint32_t mask, const uint64_t* addresses,
                  uint32_t bytes, AccessKind kind, ptx::Space space, std::byte** out) {
  DeviceMemory::Impl& memory = *w.launch->memory;
  const char* const space_name = space == ptx::Space::kGeneric ? "generic"
                                 : space == ptx::Space::kConst ? "constant"
                                                               : "global";
  const bool writes = kind == AccessKind::kStore || kind == AccessKind::kAtomic;
  const bool reads_plainly = !writes && (op->flags & kStrong) == 0;
  const uint32_t align = std::bit_floor(bytes);
  AccessCache record{~uint64_t{0}, ~uint64_t{0}, 0, nullptr};
  for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
    const int i = std::countr_zero(rest);
    const uint64_t v = addresses[i];
    if (space == ptx::Space::kGeneric) {
      out[i] = in_window(w, op, i, v, bytes, kind);
      if (out[i] != nullptr) continue;
    }
    const bool known = v >= record.lo && v < record.hi && bytes <= record.hi - v;
    if (!known && (!memory.find(v, record) || bytes > record.hi - v)) {
      const uint32_t bad = all_such(rest, [&](int j) {
        AccessCache other;
        return !memory.find(addresses[j], other) || bytes > other.hi - addresses[j];
      });
      fail(w, op, Fault::kIllegalAddress, bad,
           "illegal address: " + access_text(kind, bytes, space_name, v) + ": " +
               memory.describe(v, bytes),
           "Compare the index computed for this thread with the size of the allocation.");
    }
    if (v % align != 0) {
      const uint32_t bad = all_such(rest, [&](int j) { return addresses[j] % align != 0; });
      fail_misaligned(w, op, bad, v, align, kind, space_name);
    }
    if (writes && memory.is_constant(v)) {
      fail(w, op, Fault::kIllegalAddress, 1u << i,
           "illegal address: " + access_text(kind, bytes, space_name, v) +
               ", which is constant memory");
    }
    if (!known && w.global != nullptr) record.watched = w.global->range_of(record.lo);
    if (record.watched != nullptr && reads_plainly) {
      w.global->note_read(w, op, 1u << i, addresses, bytes, record.watched);
    }
    if (record.written != nullptr) {
      note_global(w, op, 1u << i, addresses, bytes, kind, record.lo, record.written);
    }
    out[i] = reinterpret_cast<std::byte*>(v + record.delta);
  }
  if (record.lo <= record.hi && record.hi != ~uint64_t{0}) w.caches[op->slot] = record;
}

void fail_shared(Warp& w, const MicroOp* op, uint32_t mask, const uint64_t* addresses,
                 uint32_t bytes, AccessKind kind) {
  const uint32_t outside =
      all_such(mask, [&](int i) { return addresses[i] + bytes > w.shared_bytes; });
  if (outside == 0) {
    const uint32_t bad = all_such(mask, [&](int i) { return addresses[i] % bytes != 0; });
    fail_misaligned(w, op, bad, addresses[std::countr_zero(bad)], bytes, kind, "shared");
  }
  const uint64_t v = addresses[std::countr_zero(outside)];
  std::string where = v >= w.shared_bytes
                          ? std::to_string(v - w.shared_bytes) + " bytes past the end of"
                          : "running over the end of";
  fail(w, op, Fault::kIllegalAddress, outside,
       "illegal address: " + access_text(kind, bytes, "shared", v) + ", " + where + " the CTA's " +
           std::to_string(w.shared_bytes) + " bytes of shared memory (" +
           std::to_string(w.launch->shared_bytes - w.launch->dynamic_shared_bytes) + " static, " +
           std::to_string(w.launch->dynamic_shared_bytes) + " dynamic)",
       w.launch->dynamic_shared_bytes == 0
           ? "Is the array dynamic (extern __shared__)? Its size is the launch's third argument."
           : "Compare the third launch argument with what the kernel indexes.");
}

void fail_local(Warp& w, const MicroOp* op, int lane, uint64_t address, uint32_t bytes) {
  if (address % bytes != 0 && address + bytes <= w.local_bytes) {
    fail_misaligned(w, op, 1u << lane, address, bytes, AccessKind::kLoad, "local");
  }
  fail(w, op, Fault::kIllegalAddress, 1u << lane,
       "illegal address: " + std::to_string(bytes) + " bytes at local address " + hex(address) +
           ", beyond the thread's " + std::to_string(w.local_bytes) + " bytes of local memory",
       "A local array is indexed out of its bounds.");
}

}  // namespace tcd::emu
