// Loads, stores, atomics, asynchronous copies → micro-operations (PTX ISA 9.7.9, 9.7.13).
#include "machine/convert.h"
#include "machine/decode/decoder.h"
#include "machine/mbarrier.h"
#include "machine/memory_flags.h"

namespace tcd::emu {
namespace {

using K = TypeName::Kind;

struct Variant {
  ptx::Space space = ptx::Space::kGeneric;
  bool strong = false, releases = false;
  uint32_t count = 1;
};

// Everything a memory instruction may say besides its type. Cache hints change no result.
Variant take_variant(Decoder& x) {
  Modifiers& m = x.mods();
  Variant v;
  const int order = m.take_one_of({"volatile", "relaxed", "acquire", "release", "acq_rel", "mmio"});
  v.strong = order >= 0;
  v.releases = order == 3 || order == 4;
  m.take("weak");
  m.take_one_of({"cta", "cluster", "gpu", "sys"});
  constexpr ptx::Space kSpaces[] = {ptx::Space::kGlobal, ptx::Space::kShared, ptx::Space::kShared,
                                    ptx::Space::kConst,  ptx::Space::kLocal,  ptx::Space::kParam,
                                    ptx::Space::kParam,  ptx::Space::kParam};
  const int space = m.take_one_of({"global", "shared", "shared::cta", "const", "local", "param",
                                   "param::entry", "param::func"});
  if (space >= 0) v.space = kSpaces[space];
  m.ignore({"nc", "ca", "cg", "cs", "lu", "cv", "wb", "wt", "unified"});
  while (m.take_prefix("L1::") || m.take_prefix("L2::")) {
  }
  const int vector = m.take_one_of({"v2", "v4", "v8"});
  if (vector >= 0) v.count = 2u << vector;
  return v;
}

uint32_t address_flags(const Decoder::Address& a, const Variant& v) {
  return v.count | (a.is_wide ? kWideAddress : 0) | (v.strong ? kStrong : 0) |
         (v.releases ? kReleases : 0) | (v.space == ptx::Space::kGeneric ? kGenericSpace : 0) |
         (v.space == ptx::Space::kConst ? kConstSpace : 0);
}

std::vector<ptx::Operand> elements_of(Decoder& x, const ptx::Operand& o, uint32_t count) {
  if (count == 1) return {o};
  if (o.kind != ptx::Operand::Kind::kVector || o.elements.size() != count) {
    x.unsupported("a vector of " + std::to_string(count) + " is expected");
  }
  return o.elements;
}

// The handler for a memory type and a register, global or shared.
Micro load_micro(const TypeName& t, bool wide, bool half, bool shared) {
  const bool s = t.is_signed();
  const auto pick = [&](Micro g, Micro sh) { return shared ? sh : g; };
  switch (t.bits) {
    case 8:
      if (wide) {
        return s ? pick(Micro::ld_global_s8_64, Micro::ld_shared_s8_64)
                 : pick(Micro::ld_global_u8_64, Micro::ld_shared_u8_64);
      }
      if (s && half) return pick(Micro::ld_global_s8_16, Micro::ld_shared_s8_16);
      return s ? pick(Micro::ld_global_s8_32, Micro::ld_shared_s8_32)
               : pick(Micro::ld_global_u8_32, Micro::ld_shared_u8_32);
    case 16:
      if (wide) {
        return s ? pick(Micro::ld_global_s16_64, Micro::ld_shared_s16_64)
                 : pick(Micro::ld_global_u16_64, Micro::ld_shared_u16_64);
      }
      return s && !half ? pick(Micro::ld_global_s16_32, Micro::ld_shared_s16_32)
                        : pick(Micro::ld_global_u16_32, Micro::ld_shared_u16_32);
    case 32:
      if (wide) {
        return s ? pick(Micro::ld_global_s32_64, Micro::ld_shared_s32_64)
                 : pick(Micro::ld_global_u32_64, Micro::ld_shared_u32_64);
      }
      return pick(Micro::ld_global_32, Micro::ld_shared_32);
    default:
      return pick(Micro::ld_global_64, Micro::ld_shared_64);
  }
}

Micro store_micro(const TypeName& t, bool wide, bool shared) {
  const auto pick = [&](Micro g, Micro sh) { return shared ? sh : g; };
  switch (t.bits) {
    case 8:
      return wide ? pick(Micro::st_global_8_64, Micro::st_shared_8_64)
                  : pick(Micro::st_global_8_32, Micro::st_shared_8_32);
    case 16:
      return wide ? pick(Micro::st_global_16_64, Micro::st_shared_16_64)
                  : pick(Micro::st_global_16_32, Micro::st_shared_16_32);
    case 32:
      return wide ? pick(Micro::st_global_32_64, Micro::st_shared_32_64)
                  : pick(Micro::st_global_32, Micro::st_shared_32);
    default:
      return pick(Micro::st_global_64, Micro::st_shared_64);
  }
}

struct Registers {
  std::vector<uint32_t> rows;
  bool wide = false, half = false;
};

Registers registers_of(Decoder& x, const ptx::Operand& o, const TypeName& t, uint32_t count,
                       bool is_destination) {
  Registers r;
  bool first = true;
  for (const auto& e : elements_of(x, o, count)) {
    unsigned row = x.row_bytes(e);
    if (row == 0) row = t.row_bytes();
    if (row < t.row_bytes() || row > 8) x.unsupported("the register does not fit the type");
    if (first) {
      r.wide = row == 8;
      r.half = x.is_half_register(e);
      first = false;
    } else if (r.wide != (row == 8) && e.kind == ptx::Operand::Kind::kRegister) {
      x.unsupported("registers of different width");
    }
    r.rows.push_back(is_destination ? x.destination(e, row) : x.source_row(e, r.wide ? 8 : 4));
  }
  return r;
}

// Parameters of a device function or of a call: rows of words.
void decode_words(Decoder& x, Micro micro, const Decoder::Address& a, const TypeName& t,
                  const Variant& v, const Registers& r) {
  const Code::Words* words = x.words_of(a.symbol);
  if (words == nullptr) x.unsupported("'" + a.symbol + "' is no parameter");
  const uint64_t end = static_cast<uint64_t>(a.offset) + v.count * t.bits / 8;
  if (a.offset < 0 || end > words->count * 4) x.unsupported("it leaves its parameter");
  const bool load = micro == Micro::ld_words;
  const uint32_t extra = v.count > 1 ? x.pool(r.rows) : 0;
  MicroOp& op = x.emit(micro, load ? r.rows[0] : 0, words->offset, load ? 0 : r.rows[0]);
  op.imm = a.offset;
  op.flags = v.count | (t.is_signed() ? kSignExtend : 0) | (r.wide ? kWideRegister : 0) |
             (r.half ? kHalfRegister : 0) | t.bits / 8 << kSizeShift;
  op.extra = extra;
}

void decode_param_load(Decoder& x, const TypeName& t, const Variant& v, const Registers& r) {
  const Decoder::Address a = x.address(x.operand(1), ptx::Space::kParam);
  uint32_t offset = 0;
  if (!x.function().is_entry) {
    if (a.is_register) x.unsupported("a parameter of a device function at a computed address");
    return decode_words(x, Micro::ld_words, a, t, v, r);
  }
  if (a.is_register) x.unsupported("computed");
  if (x.entry_param(a.symbol, &offset) == nullptr) {  // the result of a call
    return decode_words(x, Micro::ld_words, a, t, v, r);
  }
  for (uint32_t k = 0; k < v.count; ++k) {
    const uint64_t at = offset + static_cast<uint64_t>(a.offset) + k * t.bits / 8;
    const uint64_t end = x.kernel().info.param_bytes;
    if (at > end || t.bits / 8 > end - at) x.unsupported("it leaves the parameters");
    const uint32_t row =
        x.param_row(static_cast<uint32_t>(at), t.bits / 8, r.wide ? 8 : 4, t.is_signed(), r.half);
    x.emit(r.wide ? Micro::mov_64 : Micro::mov_32, r.rows[k], row);
  }
}

}  // namespace

void decode_ld(Decoder& x) {
  Modifiers& m = x.mods();
  const Variant v = take_variant(x);
  TypeName t = m.need_type();
  if (t.bits == 128) x.unsupported("128-bit loads");
  const Registers r = registers_of(x, x.operand(0), t, v.count, true);
  if (v.space == ptx::Space::kParam) {
    const auto& o = x.operand(1);
    if (o.kind != ptx::Operand::Kind::kAddress || o.reg < 0 || !x.function().is_entry) {
      return decode_param_load(x, t, v, r);
    }
  }
  Decoder::Address a = x.address(x.operand(1), v.space);
  if (v.space == ptx::Space::kParam) {  // an indexed kernel parameter: through its window
    const uint32_t window = x.constant(x.kernel().program->memory.param_window(), 8);
    if (!a.is_wide) x.unsupported("a 32-bit parameter address");
    x.emit(Micro::add_64, x.scratch(8), a.row, window);
    a.row = x.scratch(8);
  }
  const bool local = v.space == ptx::Space::kLocal, shared = v.space == ptx::Space::kShared;
  if (!a.is_wide && !local && !shared) x.unsupported("a 32-bit address of global memory");
  const uint32_t extra = v.count > 1 ? x.pool(r.rows) : 0;
  const uint32_t slot = x.access_slot();
  MicroOp& op =
      x.emit(local ? Micro::ld_local : load_micro(t, r.wide, r.half, shared), r.rows[0], a.row);
  op.imm = a.offset;
  op.extra = extra;
  op.slot = slot;
  op.flags = address_flags(a, v);
  if (v.space == ptx::Space::kParam) op.flags |= kGenericSpace;
  if (local) {
    op.flags |= (t.is_signed() ? kSignExtend : 0) | (r.wide ? kWideRegister : 0) |
                (r.half ? kHalfRegister : 0) | t.bits / 8 << kSizeShift;
  }
}

void decode_st(Decoder& x) {
  Modifiers& m = x.mods();
  const Variant v = take_variant(x);
  const TypeName t = m.need_type();
  if (m.has("async")) x.unsupported();
  if (t.bits == 128) x.unsupported("128-bit stores");
  const Registers r = registers_of(x, x.operand(1), t, v.count, false);
  const Decoder::Address a = x.address(x.operand(0), v.space);
  if (v.space == ptx::Space::kParam) {
    if (a.is_register) x.unsupported("a parameter at a computed address");
    return decode_words(x, Micro::st_words, a, t, v, r);
  }
  if (v.space == ptx::Space::kConst) x.unsupported("constant memory is read-only");
  const bool local = v.space == ptx::Space::kLocal, shared = v.space == ptx::Space::kShared;
  if (!a.is_wide && !local && !shared) x.unsupported("a 32-bit address of global memory");
  const uint32_t extra = v.count > 1 ? x.pool(r.rows) : 0;
  const uint32_t slot = x.access_slot();
  MicroOp& op =
      x.emit(local ? Micro::st_local : store_micro(t, r.wide, shared), 0, a.row, r.rows[0]);
  op.imm = a.offset;
  op.extra = extra;
  op.slot = slot;
  op.flags = address_flags(a, v);
  if (local) op.flags |= (r.wide ? kWideRegister : 0) | t.bits / 8 << kSizeShift;
}

void decode_atom(Decoder& x) {
  Modifiers& m = x.mods();
  const bool red = x.in().opcode == "red";
  const int operation =
      m.take_one_of({"add", "min", "max", "inc", "dec", "and", "or", "xor", "exch", "cas"});
  if (operation < 0) x.unsupported();
  m.take("noftz");
  Variant v = take_variant(x);
  const TypeName t = m.need_type();
  const bool shared = v.space == ptx::Space::kShared;
  if (v.space != ptx::Space::kGeneric && v.space != ptx::Space::kGlobal && !shared) x.unsupported();
  if (t.bits == 128) x.unsupported("128-bit atomics");
  if (t.bits == 16 && !t.is_float()) x.need_compute(70, "16-bit atomics");
  Number n = Number::kU32;
  if (t.kind == K::kFloat)
    n = t.bits == 64 ? Number::kF64 : t.bits == 16 ? Number::kF16 : Number::kF32;
  else if (t.kind == K::kBfloat)
    n = Number::kBf16;
  else if (t.bits == 64)
    n = t.is_signed() ? Number::kS64 : Number::kU64;
  else if (t.bits == 16)
    n = Number::kU16;
  else
    n = t.is_signed() ? Number::kS32 : Number::kU32;
  const size_t first = red ? 0 : 1;
  const Decoder::Address a = x.address(x.operand(first), v.space);
  const Registers b = registers_of(x, x.operand(first + 1), t, v.count, false);
  const bool cas = operation == static_cast<int>(Atomic::kCas);
  const uint32_t c = cas ? x.source_row(x.operand(first + 2), t.row_bytes()) : 0;
  const bool no_result = red || x.operand(0).kind == ptx::Operand::Kind::kSink;
  std::vector<uint32_t> rows = b.rows;
  uint32_t d = 0;
  if (!no_result) {
    const Registers r = registers_of(x, x.operand(0), t, v.count, true);
    d = r.rows[0];
    rows.insert(rows.end(), r.rows.begin(), r.rows.end());
  }
  const uint32_t extra = v.count > 1 ? x.pool(rows) : 0;
  const uint32_t slot = x.access_slot();
  MicroOp& op = x.emit(shared ? Micro::atom_shared : Micro::atom_global, d, a.row, b.rows[0], c);
  op.imm = a.offset;
  op.extra = extra;
  op.slot = slot;
  op.flags =
      address_flags(a, v) | (no_result ? kNoResult : 0) |
      (static_cast<uint32_t>(operation) | static_cast<uint32_t>(n) << 4 | uint32_t{t.packed} << 8)
          << kAtomicShift;
}

// cp.async.mbarrier.arrive: the thread's copies land here, earlier than a card would have them, and
// then the arrival is made. Without .noinc the count it takes is one it added itself.
static void decode_copies_arrive(Decoder& x) {
  Modifiers& m = x.mods();
  m.ignore({"arrive", "shared", "shared::cta", "b64"});
  const bool counts = m.take("noinc");
  MicroOp& land = x.emit(Micro::cp_async_wait);
  land.imm = -1;
  land.flags = counts ? 1 : 0;
  if (!counts) return;
  const Decoder::Address a = x.address(x.operand(0), ptx::Space::kShared);
  const uint32_t one = x.constant(1, 4);
  MicroOp& op = x.emit(Micro::mbarrier, 0, a.row, one);
  op.imm = a.offset;
  op.flags = (a.is_wide ? kWideAddress : 0) | kNoResult |
             static_cast<uint32_t>(MbarrierOp::kArrive) << kMbarrierShift;
}

void decode_cp(Decoder& x) {
  Modifiers& m = x.mods();
  if (!m.take("async")) x.unsupported();
  if (m.has("bulk")) x.unsupported();
  if (m.take("mbarrier")) return decode_copies_arrive(x);
  if (m.take("commit_group")) {
    x.emit(Micro::cp_async_commit);
    return;
  }
  if (m.take("wait_all")) {
    x.emit(Micro::cp_async_wait).imm = -1;
    return;
  }
  if (m.take("wait_group")) {
    x.emit(Micro::cp_async_wait).imm = static_cast<int64_t>(x.operand(0).imm);
    return;
  }
  const bool bypass_l1 = m.take_one_of({"ca", "cg"}) == 1;
  m.take_one_of({"shared", "shared::cta"});
  m.take("global");
  while (m.take_prefix("L2::")) {
  }
  const Decoder::Address to = x.address(x.operand(0), ptx::Space::kShared);
  const Decoder::Address from = x.address(x.operand(1), ptx::Space::kGlobal);
  if (!from.is_wide) x.unsupported("a 32-bit address of global memory");
  const auto bytes = static_cast<uint32_t>(x.operand(2).imm);
  if (bytes != 4 && bytes != 8 && bytes != 16) x.unsupported("a copy of this size");
  // The fourth operand is the number of bytes to read, or a predicate that skips reading.
  uint32_t size = x.constant(bytes, 4);
  if (x.operands() > 3) {
    if (x.row_bytes(x.operand(3)) == 0 && x.is_register(x.operand(3))) {
      bool negated = false;
      const uint32_t skip = x.predicate_source(x.operand(3), &negated);
      x.emit(Micro::selp_32, x.scratch(4), x.zero(4), size, skip).flags = negated ? kAllLanes : 0;
      size = x.scratch(4);
    } else {
      size = x.source_b32(x.operand(3));
    }
  }
  const uint32_t slot = x.access_slot();
  MicroOp& op = x.emit(Micro::cp_async, 0, to.row, from.row, size);
  op.imm = to.offset;
  op.extra = static_cast<uint32_t>(from.offset);
  op.slot = slot;
  op.flags =
      1 | (to.is_wide ? kWideAddress : 0) | (bypass_l1 ? kBypassL1 : 0) | bytes << kSizeShift;
}

// Cache policies change no result: any value will do.
void decode_createpolicy(Decoder& x) {
  for (const auto& modifier : x.in().modifiers) x.mods().take(modifier);
  x.emit(Micro::mov_64, x.destination(x.operand(0), 8), x.zero(8));
}

void decode_fence(Decoder& x) {
  const bool beyond_cta = !x.mods().has("cta");
  x.mods().ignore({"cta", "cluster", "gpu", "gl", "sys", "sc", "acq_rel", "acquire", "release",
                   "proxy", "alias", "async", "async.global", "global", "mbarrier_init"});
  x.mods().take_prefix("async");
  x.mods().take_prefix("shared");
  x.emit(Micro::membar).flags = beyond_cta ? 1 : 0;
}

void decode_no_effect(Decoder& x) {
  for (const auto& modifier : x.in().modifiers) x.mods().take(modifier);
  x.emit(Micro::nop);
}

}  // namespace tcd::emu
