// cp.async (PTX ISA 9.7.9.25). A copy is checked when it is issued and lands at the wait that
// covers it: as late as the hardware may be, so that a missing wait shows every time.
#include "machine/exec/address.h"

namespace tcd::emu::TCD_ISA_NAMESPACE {
namespace {

// a: shared address, b: global address (64 bits), c: bytes to read, unless flags say constant.
// imm and extra are the two address offsets; pool is not used.
const MicroOp* cp_async(Warp& w, const MicroOp* op, u32 mask) {
  const u32 bytes = op->flags >> kSizeShift;
  SharedAddresses to;
  shared_addresses(w, op, to);
  const u64* from = row<u64>(w, op->b);
  const u32* sizes = row<u32>(w, op->c);
  AsyncCopy copy;
  copy.lanes = mask;
  copy.bytes = bytes;
  copy.op = op;
  alignas(64) u64 address[kLanes] = {};
  u32 reading = 0, full = 0;
  each_lane(mask, [&](int i) {
    copy.destination[i] = to.lane[i];
    copy.group[i] = w.committed[i];
    copy.source_bytes[i] = sizes[i] < bytes ? sizes[i] : bytes;
    copy.source[i] = nullptr;
    address[i] = from[i] + static_cast<u64>(static_cast<s64>(static_cast<s32>(op->extra)));
    if (copy.source_bytes[i] != 0) reading |= 1u << i;
    if (copy.source_bytes[i] == bytes) full |= 1u << i;
  });
  check_shared(w, op, mask, to.lane, bytes, AccessKind::kAsyncCopy);
  if (reading != 0) {
    // Zero-filled copies may end beyond the allocation: only bytes that are read are checked.
    std::byte* host[kLanes];
    const AccessCache& cache = w.caches[op->slot];
    bool inside = true;
    each_lane(reading, [&](int i) {
      const u64 v = address[i];
      inside &= v >= cache.lo && v <= cache.hi - copy.source_bytes[i] && (v & (bytes - 1)) == 0;
      host[i] = reinterpret_cast<std::byte*>(v + cache.delta);
    });
    if (!inside) {
      if (full != 0)
        resolve_slow(w, op, full, address, bytes, AccessKind::kAsyncCopy, ptx::Space::kGlobal,
                     host);
      each_lane(reading & ~full, [&](int i) {
        resolve_slow(w, op, 1u << i, address, copy.source_bytes[i], AccessKind::kAsyncCopy,
                     ptx::Space::kGlobal, host);
      });
    } else if (__builtin_expect(cache.is_checked(), 0)) {
      const auto note = [&](u32 lanes, u32 size) {
        if (cache.written != nullptr) {
          note_global(w, op, lanes, address, size, AccessKind::kAsyncCopy, cache.lo, cache.written);
        }
        if (cache.watched != nullptr) {
          w.global->note_read(w, op, lanes, address, size, cache.watched);
        }
      };
      note(full, bytes);
      each_lane(reading & ~full, [&](int i) { note(1u << i, copy.source_bytes[i]); });
    }
    each_lane(reading, [&](int i) { copy.source[i] = host[i]; });
  }
  count_copy(w, op, mask, reading, full, to.lane, address, copy.source_bytes, bytes);
  if (__builtin_expect(w.trace != nullptr, 0)) {
    trace_access(w, op, full, address, 0, bytes, AccessKind::kAsyncCopy);
    each_lane(reading & ~full, [&](int i) {
      trace_access(w, op, 1u << i, address, 0, copy.source_bytes[i], AccessKind::kAsyncCopy);
    });
  }
  w.copies.push_back(copy);
  return op + 1;
}

const MicroOp* commit(Warp& w, const MicroOp* op, u32 mask) {
  each_lane(mask, [&](int i) { ++w.committed[i]; });
  return op + 1;
}

void land(Warp& w, AsyncCopy& copy, u32 lanes) {
  each_lane(lanes, [&](int i) {
    std::byte* to = w.shared + copy.destination[i];
    const u32 bytes = copy.source_bytes[i];
    if (bytes == 16) {
      std::memcpy(to, copy.source[i], 16);
      return;
    }
    if (bytes != 0) std::memcpy(to, copy.source[i], bytes);
    if (bytes < copy.bytes) std::memset(to + bytes, 0, copy.bytes - bytes);
  });
  if (w.shadow != nullptr) note_landed(w, copy.op, lanes, copy.destination, copy.bytes);
  copy.lanes &= ~lanes;
}

// imm: how many of the latest groups may stay in flight; -1: none, uncommitted ones included.
// flags 1: a step of another instruction, not counted.
const MicroOp* wait(Warp& w, const MicroOp* op, u32 mask) {
  size_t kept = 0;
  for (size_t n = 0; n < w.copies.size(); ++n) {
    AsyncCopy& copy = w.copies[n];
    u32 due = copy.lanes & mask;
    if (op->imm >= 0) {
      u32 covered = 0;
      each_lane(due, [&](int i) {
        const bool lands = s64{copy.group[i]} + op->imm < s64{w.committed[i]};
        covered |= u32{lands} << i;
      });
      due = covered;
    }
    if (due != 0) land(w, copy, due);
    if (copy.lanes != 0) {
      if (kept != n) w.copies[kept] = copy;
      ++kept;
    }
  }
  w.copies.resize(kept);
  each_lane(mask, [&](int i) { w.waited[i] = w.committed[i]; });
  w.uncounted += op->flags;
  return op + 1;
}

}  // namespace

void fill_async(Table& t) {
  bind_handler(t, Micro::cp_async, &cp_async);
  bind_handler(t, Micro::cp_async_commit, &commit);
  bind_handler(t, Micro::cp_async_wait, &wait);
}

}  // namespace tcd::emu::TCD_ISA_NAMESPACE
