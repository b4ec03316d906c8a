// st (PTX ISA 9.7.9.11): register width to memory bytes, in global and in shared memory.
// Lanes that write the same address: the highest lane wins, as each is stored in order.
#include "machine/exec/address.h"

namespace tcd::emu::TCD_ISA_NAMESPACE {
namespace {

template <class Memory, class Register>
void store_one(Warp& w, const MicroOp* op, u32 mask, const Pointers& p) {
  const Register* b = row<Register>(w, op->b);
  if (p.run != nullptr) {
    if constexpr (sizeof(Memory) == sizeof(Register)) {
      std::memcpy(p.run, b, kLanes * sizeof(Memory));
    } else {
      for (int i = 0; i < kLanes; ++i) {
        store_as(p.run + i * sizeof(Memory), static_cast<Memory>(b[i]));
      }
    }
  } else {
    each_lane(mask, [&](int i) { store_as(p.lane[i], static_cast<Memory>(b[i])); });
  }
}

void store_four_words(Warp& w, const MicroOp* op, const Pointers& p) {
  const u32* b[4];
  for (u32 k = 0; k < 4; ++k) b[k] = row<u32>(w, w.pool[op->extra + k]);
  for (int i = 0; i < kLanes; i += 4) {
    __m128i v[4];
    for (int k = 0; k < 4; ++k) v[k] = _mm_load_si128(reinterpret_cast<const __m128i*>(b[k] + i));
    transpose4(v[0], v[1], v[2], v[3]);
    for (int k = 0; k < 4; ++k) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(p.at(i + k, 16)), v[k]);
    }
  }
}

template <class Memory, class Register>
void store_vector(Warp& w, const MicroOp* op, u32 mask, const Pointers& p, u32 count) {
  if constexpr (sizeof(Memory) == 4 && sizeof(Register) == 4) {
    if (count == 4 && mask == kAllLanes) return store_four_words(w, op, p);
  }
  each_lane(mask, [&](int i) {
    std::byte* at = p.at(i, count * sizeof(Memory));
    for (u32 k = 0; k < count; ++k) {
      const Register* b = row<Register>(w, w.pool[op->extra + k]);
      store_as(at + k * sizeof(Memory), static_cast<Memory>(b[i]));
    }
  });
}

// As load_strong() in load.cpp.
template <class Memory, class Register>
[[gnu::noinline]] void store_strong(Warp& w, const MicroOp* op, u32 mask, const Pointers& p,
                                    u32 count) {
  each_lane(mask, [&](int i) {
    auto* at = reinterpret_cast<Memory*>(p.at(i, count * sizeof(Memory)));
    for (u32 k = 0; k < count; ++k) {
      const Register* b = row<Register>(w, count == 1 ? op->b : w.pool[op->extra + k]);
      __atomic_store_n(at + k, static_cast<Memory>(b[i]), __ATOMIC_RELEASE);
    }
  });
}

struct StoredValues {
  std::byte lane[kLanes][32];
};
template <class Memory, class Register>
void gather_values(Warp& w, const MicroOp* op, u32 mask, u32 count, StoredValues& values) {
  for (u32 k = 0; k < count; ++k) {
    const Register* b = row<Register>(w, count == 1 ? op->b : w.pool[op->extra + k]);
    each_lane(mask, [&](int i) {
      store_as(values.lane[i] + k * sizeof(Memory), static_cast<Memory>(b[i]));
    });
  }
}

// Other CTAs may read or write there.
template <class Memory, class Register>
[[gnu::noinline]] void note_watched_store(Warp& w, const MicroOp* op, u32 mask, u32 count) {
  StoredValues values;
  gather_values<Memory, Register>(w, op, mask, count, values);
  note_stored(w, op, mask, row<u64>(w, op->a), static_cast<u64>(op->imm), count * sizeof(Memory),
              values.lane[0]);
}

// Lanes may have stored different values to one place, or raced with another warp: what stands in
// memory now tells.
template <class Memory, class Register>
[[gnu::noinline]] void judge_stored(Warp& w, const MicroOp* op, u32 mask, const Pointers& p,
                                    u32 count) {
  const u32 bytes = count * sizeof(Memory);
  StoredValues values;
  gather_values<Memory, Register>(w, op, mask, count, values);
  u32 addresses[kLanes] = {};
  each_lane(mask, [&](int i) {
    const auto offset = static_cast<u64>(p.at(i, bytes) - w.shared);
    if (offset >= w.shared_bytes) mask &= ~kLaneBit[i];  // a generic store to elsewhere
    addresses[i] = static_cast<u32>(offset);
  });
  w.shadow->cta->judge_stored(w, op, mask, addresses, bytes, values.lane[0]);
}

template <bool kShared, class Memory, class Register>
const MicroOp* store(Warp& w, const MicroOp* op, u32 mask) {
  Pointers p;
  const u32 count = op->flags & kVectorMask;
  const u32 bytes = count * sizeof(Memory);
  if constexpr (kShared) {
    resolve_shared(w, op, mask, bytes, AccessKind::kStore, p);
  } else {
    resolve_global(w, op, mask, bytes, AccessKind::kStore, p);
    if (w.global != nullptr && (op->flags & kStrong) == 0) {
      note_watched_store<Memory, Register>(w, op, mask, count);
    }
  }
  if (!kShared && __builtin_expect((op->flags & kStrong) != 0, 0)) {
    store_strong<Memory, Register>(w, op, mask, p, count);
  } else if (__builtin_expect(count == 1, 1)) {
    store_one<Memory, Register>(w, op, mask, p);
  } else {
    store_vector<Memory, Register>(w, op, mask, p, count);
  }
  if (w.shadow != nullptr && (kShared || (op->flags & kGenericSpace) != 0) &&
      w.shadow->cta->is_store_suspicious()) {
    judge_stored<Memory, Register>(w, op, mask, p, count);
  }
  return op + 1;
}

void write_words(Row* words, u64 address, int lane, u32 bytes, u64 value) {
  Row* at = words + address / 4;
  if (bytes >= 4) {
    at[0].lane[lane] = static_cast<u32>(value);
    if (bytes == 8) at[1].lane[lane] = static_cast<u32>(value >> 32);
    return;
  }
  const u32 shift = 8 * static_cast<u32>(address & 3);
  const u32 keep = ((1u << (8 * bytes)) - 1) << shift;
  at[0].lane[lane] = (at[0].lane[lane] & ~keep) | (static_cast<u32>(value) << shift & keep);
}

u64 read_register(Warp& w, u32 offset, u32 flags, int lane) {
  return (flags & kWideRegister) != 0 ? row<u64>(w, offset)[lane] : row<u32>(w, offset)[lane];
}

const MicroOp* store_local(Warp& w, const MicroOp* op, u32 mask) {
  const u32 count = op->flags & kVectorMask, bytes = op->flags >> kSizeShift;
  each_lane(mask, [&](int i) {
    const u64 address = (op->flags & kWideAddress) != 0
                            ? row<u64>(w, op->a)[i] + static_cast<u64>(op->imm)
                            : row<u32>(w, op->a)[i] + static_cast<u32>(op->imm);
    if (address + count * bytes > w.local_bytes || address % (count * bytes) != 0) {
      fail_local(w, op, i, address, count * bytes);
    }
    for (u32 k = 0; k < count; ++k) {
      const u32 b = count == 1 ? op->b : w.pool[op->extra + k];
      const u64 value = read_register(w, b, op->flags, i);
      std::memcpy(w.local_of(i) + address + k * bytes, &value, bytes);
    }
  });
  return op + 1;
}

const MicroOp* store_words(Warp& w, const MicroOp* op, u32 mask) {
  const u32 count = op->flags & kVectorMask, bytes = op->flags >> kSizeShift;
  for (u32 k = 0; k < count; ++k) {
    const u32 b = count == 1 ? op->b : w.pool[op->extra + k];
    const u64 address = static_cast<u64>(op->imm) + k * bytes;
    each_lane(mask, [&](int i) {
      write_words(row<Row>(w, op->a), address, i, bytes, read_register(w, b, op->flags, i));
    });
  }
  return op + 1;
}

template <class Memory, class Register>
void bind_store(Table& t, Micro global, Micro shared) {
  bind_handler(t, global, &store<false, Memory, Register>);
  bind_handler(t, shared, &store<true, Memory, Register>);
}

}  // namespace

void fill_store(Table& t) {
  bind_store<u8, u32>(t, Micro::st_global_8_32, Micro::st_shared_8_32);
  bind_store<u16, u32>(t, Micro::st_global_16_32, Micro::st_shared_16_32);
  bind_store<u32, u32>(t, Micro::st_global_32, Micro::st_shared_32);
  bind_store<u8, u64>(t, Micro::st_global_8_64, Micro::st_shared_8_64);
  bind_store<u16, u64>(t, Micro::st_global_16_64, Micro::st_shared_16_64);
  bind_store<u32, u64>(t, Micro::st_global_32_64, Micro::st_shared_32_64);
  bind_store<u64, u64>(t, Micro::st_global_64, Micro::st_shared_64);
  bind_handler(t, Micro::st_local, &store_local);
  bind_handler(t, Micro::st_words, &store_words);
}

}  // namespace tcd::emu::TCD_ISA_NAMESPACE
