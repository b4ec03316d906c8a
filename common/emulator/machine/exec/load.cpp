// ld (PTX ISA 9.7.9.8). One handler for each pair of memory type and register width, in global and
// in shared memory; destinations of a vector stand in pool[extra…].
#include "machine/exec/address.h"

namespace tcd::emu::TCD_ISA_NAMESPACE {
namespace {

template <class Memory, class Register, u32 kKeep>
inline Register extend(Memory v) {
  if constexpr (std::is_signed_v<Memory>) {
    return static_cast<Register>(static_cast<std::make_signed_t<Register>>(v)) &
           static_cast<Register>(kKeep == 16 ? 0xffff : ~Register{0});
  } else {
    return v;
  }
}

template <class Memory, class Register, u32 kKeep>
void load_one(Warp& w, const MicroOp* op, u32 mask, const Pointers& p) {
  Register* d = row<Register>(w, op->d);
  if (p.run != nullptr) {
    if constexpr (sizeof(Memory) == sizeof(Register)) {
      std::memcpy(d, p.run, kLanes * sizeof(Memory));
    } else {
      for (int i = 0; i < kLanes; ++i) {
        d[i] = extend<Memory, Register, kKeep>(load_as<Memory>(p.run + i * sizeof(Memory)));
      }
    }
  } else if (mask == kAllLanes) {
    for (int i = 0; i < kLanes; ++i) {
      d[i] = extend<Memory, Register, kKeep>(load_as<Memory>(p.lane[i]));
    }
  } else {
    each_lane(mask,
              [&](int i) { d[i] = extend<Memory, Register, kKeep>(load_as<Memory>(p.lane[i])); });
  }
}

void load_four_words(Warp& w, const MicroOp* op, const Pointers& p) {
  u32* d[4];
  for (u32 k = 0; k < 4; ++k) d[k] = row<u32>(w, w.pool[op->extra + k]);
  for (int i = 0; i < kLanes; i += 4) {
    __m128i v[4];
    for (int k = 0; k < 4; ++k) {
      v[k] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p.at(i + k, 16)));
    }
    // A tile is walked along its rows: the next line of each is wanted soon, and 256 rows are more
    // streams than the processor follows by itself.
    _mm_prefetch(reinterpret_cast<const char*>(p.at(i, 16)) + 64, _MM_HINT_T0);
    transpose4(v[0], v[1], v[2], v[3]);
    for (int k = 0; k < 4; ++k) _mm_store_si128(reinterpret_cast<__m128i*>(d[k] + i), v[k]);
  }
}

template <class Memory, class Register, u32 kKeep>
void load_vector(Warp& w, const MicroOp* op, u32 mask, const Pointers& p, u32 count) {
  if constexpr (sizeof(Memory) == 4 && sizeof(Register) == 4) {
    if (count == 4 && mask == kAllLanes) return load_four_words(w, op, p);
  }
  for (u32 k = 0; k < count; ++k) {
    Register* d = row<Register>(w, w.pool[op->extra + k]);
    each_lane(mask, [&](int i) {
      const std::byte* at = p.at(i, count * sizeof(Memory)) + k * sizeof(Memory);
      d[i] = extend<Memory, Register, kKeep>(load_as<Memory>(at));
    });
  }
}

// volatile, relaxed and acquire: other CTAs, so other host threads, may write the place meanwhile.
// Each element is read whole, and what was written before it is seen after.
template <class Memory, class Register, u32 kKeep>
[[gnu::noinline]] void load_strong(Warp& w, const MicroOp* op, u32 mask, const Pointers& p,
                                   u32 count) {
  each_lane(mask, [&](int i) {
    const auto* at = reinterpret_cast<const Memory*>(p.at(i, count * sizeof(Memory)));
    for (u32 k = 0; k < count; ++k) {
      Register* d = row<Register>(w, count == 1 ? op->d : w.pool[op->extra + k]);
      d[i] = extend<Memory, Register, kKeep>(__atomic_load_n(at + k, __ATOMIC_ACQUIRE));
    }
  });
}

template <bool kShared, class Memory, class Register, u32 kKeep = 0>
const MicroOp* load(Warp& w, const MicroOp* op, u32 mask) {
  Pointers p;
  const u32 count = op->flags & kVectorMask;
  const u32 bytes = count * sizeof(Memory);
  if constexpr (kShared) {
    resolve_shared(w, op, mask, bytes, AccessKind::kLoad, p);
  } else {
    resolve_global(w, op, mask, bytes, AccessKind::kLoad, p);
  }
  const bool polls = (op->flags & kStrong) != 0 && count == 1;
  const int first = std::countr_zero(mask);
  const Register before = polls ? row<Register>(w, op->d)[first] : Register{};
  if (!kShared && __builtin_expect((op->flags & kStrong) != 0, 0)) {
    load_strong<Memory, Register, kKeep>(w, op, mask, p, count);
    note_taken(w, op, mask);
  } else if (__builtin_expect(count == 1, 1)) {
    load_one<Memory, Register, kKeep>(w, op, mask, p);
  } else {
    load_vector<Memory, Register, kKeep>(w, op, mask, p, count);
  }
  if (polls) w.idle_polls += row<Register>(w, op->d)[first] == before;
  return op + 1;
}

// --- Local memory (lane by lane, one block each) and the parameters of device functions --------

u64 extend_value(u64 v, u32 bytes, u32 flags) {
  if ((flags & kSignExtend) != 0 && bytes < 8) {
    const u32 shift = 64 - 8 * bytes;
    v = static_cast<u64>(static_cast<s64>(v << shift) >> shift);
  }
  if ((flags & kWideRegister) != 0) return v;
  return v & ((flags & kHalfRegister) != 0 ? 0xffffu : 0xffffffffu);
}

u64 read_words(const Row* words, u64 address, int lane, u32 bytes) {
  const Row* at = words + address / 4;
  if (bytes == 8) return u64{at[1].lane[lane]} << 32 | at[0].lane[lane];
  const u32 word = at[0].lane[lane] >> (8 * (address & 3));
  return bytes == 4 ? word : word & ((1u << (8 * bytes)) - 1);
}

void write_register(Warp& w, u32 offset, u32 flags, int lane, u64 value) {
  if ((flags & kWideRegister) != 0) {
    row<u64>(w, offset)[lane] = value;
  } else {
    row<u32>(w, offset)[lane] = static_cast<u32>(value);
  }
}

u64 local_address(Warp& w, const MicroOp* op, int lane) {
  if ((op->flags & kWideAddress) != 0) {
    return row<u64>(w, op->a)[lane] + static_cast<u64>(op->imm);
  }
  return row<u32>(w, op->a)[lane] + static_cast<u32>(op->imm);
}

const MicroOp* load_local(Warp& w, const MicroOp* op, u32 mask) {
  const u32 count = op->flags & kVectorMask, bytes = op->flags >> kSizeShift;
  u64 address[kLanes];
  each_lane(mask, [&](int i) {
    address[i] = local_address(w, op, i);
    if (address[i] + count * bytes > w.local_bytes || address[i] % (count * bytes) != 0) {
      fail_local(w, op, i, address[i], count * bytes);
    }
  });
  for (u32 k = 0; k < count; ++k) {
    const u32 d = count == 1 ? op->d : w.pool[op->extra + k];
    each_lane(mask, [&](int i) {
      u64 raw = 0;
      std::memcpy(&raw, w.local_of(i) + address[i] + k * bytes, bytes);
      write_register(w, d, op->flags, i, extend_value(raw, bytes, op->flags));
    });
  }
  return op + 1;
}

// Parameters of device functions: word k of all lanes is row k. a is the offset of the first row,
// imm a constant byte offset.
const MicroOp* load_words(Warp& w, const MicroOp* op, u32 mask) {
  const u32 count = op->flags & kVectorMask, bytes = op->flags >> kSizeShift;
  for (u32 k = 0; k < count; ++k) {
    const u32 d = count == 1 ? op->d : w.pool[op->extra + k];
    const u64 address = static_cast<u64>(op->imm) + k * bytes;
    each_lane(mask, [&](int i) {
      const u64 raw = read_words(row<Row>(w, op->a), address, i, bytes);
      write_register(w, d, op->flags, i, extend_value(raw, bytes, op->flags));
    });
  }
  return op + 1;
}

template <class Memory, class Register, u32 kKeep = 0>
void bind_load(Table& t, Micro global, Micro shared) {
  bind_handler(t, global, &load<false, Memory, Register, kKeep>);
  bind_handler(t, shared, &load<true, Memory, Register, kKeep>);
}

}  // namespace

void fill_load(Table& t) {
  bind_load<u8, u32>(t, Micro::ld_global_u8_32, Micro::ld_shared_u8_32);
  bind_load<s8, u32>(t, Micro::ld_global_s8_32, Micro::ld_shared_s8_32);
  bind_load<s8, u32, 16>(t, Micro::ld_global_s8_16, Micro::ld_shared_s8_16);
  bind_load<u16, u32>(t, Micro::ld_global_u16_32, Micro::ld_shared_u16_32);
  bind_load<s16, u32>(t, Micro::ld_global_s16_32, Micro::ld_shared_s16_32);
  bind_load<u32, u32>(t, Micro::ld_global_32, Micro::ld_shared_32);
  bind_load<u8, u64>(t, Micro::ld_global_u8_64, Micro::ld_shared_u8_64);
  bind_load<s8, u64>(t, Micro::ld_global_s8_64, Micro::ld_shared_s8_64);
  bind_load<u16, u64>(t, Micro::ld_global_u16_64, Micro::ld_shared_u16_64);
  bind_load<s16, u64>(t, Micro::ld_global_s16_64, Micro::ld_shared_s16_64);
  bind_load<u32, u64>(t, Micro::ld_global_u32_64, Micro::ld_shared_u32_64);
  bind_load<s32, u64>(t, Micro::ld_global_s32_64, Micro::ld_shared_s32_64);
  bind_load<u64, u64>(t, Micro::ld_global_64, Micro::ld_shared_64);
  bind_handler(t, Micro::ld_local, &load_local);
  bind_handler(t, Micro::ld_words, &load_words);
}

}  // namespace tcd::emu::TCD_ISA_NAMESPACE
