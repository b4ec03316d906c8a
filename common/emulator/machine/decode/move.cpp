// Moves and address conversions → micro-operations (PTX ISA 9.7.9).
#include "machine/decode/decoder.h"

namespace tcd::emu {
namespace {

using Kind = ptx::Operand::Kind;

// mov.b64 {lo, hi}, d and its relatives.
void unpack(Decoder& x, const TypeName& t, const ptx::Operand& d, const ptx::Operand& a) {
  const size_t parts = d.elements.size();
  const unsigned part_bits = t.bits / static_cast<unsigned>(parts);
  const unsigned part_row = part_bits == 64 ? 8 : 4;
  std::vector<uint32_t> rows;
  for (const auto& e : d.elements) rows.push_back(x.destination(e, part_row));
  if (t.bits == 64 && parts == 2) {
    const uint32_t source = x.source(a, t);
    if (d.elements[1].kind == Kind::kSink) {
      x.emit(Micro::unpack_lo32, rows[0], source);
      return;
    }
    if (d.elements[0].kind == Kind::kSink) {
      x.emit(Micro::unpack_hi32, rows[1], source);
      return;
    }
  }
  Micro micro = Micro::kNone;
  if (t.bits == 32 && parts == 2) micro = Micro::unpack_2x16;
  if (t.bits == 64 && parts == 2) micro = Micro::unpack_2x32;
  if (t.bits == 64 && parts == 4) micro = Micro::unpack_4x16;
  if (t.bits == 128 && parts == 2) micro = Micro::unpack_2x64;
  if (micro == Micro::kNone) x.unsupported("these parts");
  const uint32_t source = t.bits == 128 ? x.destination(a, 16) : x.source(a, t);
  x.emit(micro, 0, source).extra = x.pool(rows);
}

void pack(Decoder& x, const TypeName& t, const ptx::Operand& d, const ptx::Operand& a) {
  const size_t parts = a.elements.size();
  TypeName part;
  part.bits = t.bits / static_cast<unsigned>(parts);
  std::vector<uint32_t> rows;
  for (const auto& e : a.elements) rows.push_back(x.source(e, part));
  if (t.bits == 128 && parts == 2) {
    x.emit(Micro::pack_2x64, x.destination(d, 16), rows[0], rows[1]);
    return;
  }
  const uint32_t to = x.destination(d, t.bits == 64 ? 8 : 4);
  if (t.bits == 32 && parts == 2) {
    x.emit(Micro::pack_2x16, to, rows[0], rows[1]);
  } else if (t.bits == 64 && parts == 2) {
    x.emit(Micro::pack_2x32, to, rows[0], rows[1]);
  } else if (t.bits == 64 && parts == 4) {
    x.emit(Micro::pack_4x16, to, rows[0], rows[1], rows[2]).extra = rows[3];
  } else {
    x.unsupported("these parts");
  }
}

// Registers that change while a warp runs are read by an instruction, not a row.
bool read_clock(Decoder& x, const std::string& name, const ptx::Operand& d) {
  struct Clock {
    const char* name;
    Micro micro;
    uint32_t part;  // 0 low word, 1 high word, 2 all 64 bits
  };
  constexpr Clock kClocks[] = {{"%clock", Micro::clock, 0},
                               {"%clock_hi", Micro::clock, 1},
                               {"%clock64", Micro::clock, 2},
                               {"%globaltimer", Micro::globaltimer, 2},
                               {"%globaltimer_lo", Micro::globaltimer, 0},
                               {"%globaltimer_hi", Micro::globaltimer, 1}};
  for (const Clock& c : kClocks) {
    if (name != c.name) continue;
    x.emit(c.micro, x.destination(d, c.part == 2 ? 8 : 4)).flags = c.part;
    return true;
  }
  return false;
}

}  // namespace

void decode_mov(Decoder& x) {
  const TypeName t = x.mods().need_type();
  const ptx::Operand& d = x.operand(0);
  const ptx::Operand& a = x.operand(1);
  if (t.kind == TypeName::Kind::kPred) {
    bool negated = false;
    const uint32_t to = x.predicate_destination(d), from = x.predicate_source(a, &negated);
    x.emit(negated ? Micro::not_pred : Micro::mov_pred, to, from, from);
    return;
  }
  if (d.kind == Kind::kVector) return unpack(x, t, d, a);
  if (a.kind == Kind::kVector) return pack(x, t, d, a);
  if (a.kind == Kind::kSymbol && read_clock(x, a.symbol, d)) return;
  if (t.bits == 128) {
    x.emit(Micro::mov_128, x.destination(d, 16), x.destination(a, 16));
    return;
  }
  // mov.u32 of a 64-bit special register and the like: the destination decides.
  const uint32_t to = x.destination(d, t.row_bytes());
  x.emit(t.bits == 64 ? Micro::mov_64 : Micro::mov_32, to, x.source(a, t));
}

// Global and constant addresses are generic addresses; shared, local and parameter memory lie in
// windows. A 32-bit form exists for 32-bit programs only.
void decode_cvta(Decoder& x) {
  Modifiers& m = x.mods();
  const bool to = m.take("to");
  const int space = m.take_one_of({"global", "const", "shared", "shared::cta", "local", "param"});
  const TypeName t = m.need_type();
  if (t.bits != 64 || space < 0) x.unsupported();
  const uint32_t d = x.destination(x.operand(0), 8);
  const uint32_t a = x.source(x.operand(1), t);
  if (space <= 1) {
    x.emit(Micro::mov_64, d, a);
    return;
  }
  const DeviceMemory::Impl& memory = x.kernel().program->memory;
  const uint64_t window = space <= 3   ? memory.shared_window()
                          : space == 4 ? memory.local_window()
                                       : memory.param_window();
  x.emit(to ? Micro::sub_64 : Micro::add_64, d, a, x.constant(window, 8));
}

void decode_isspacep(Decoder& x) {
  constexpr ptx::Space kSpaces[] = {ptx::Space::kGlobal, ptx::Space::kConst,  ptx::Space::kShared,
                                    ptx::Space::kShared, ptx::Space::kShared, ptx::Space::kLocal,
                                    ptx::Space::kParam};
  const int space = x.mods().take_one_of(
      {"global", "const", "shared", "shared::cta", "shared::cluster", "local", "param"});
  if (space < 0) x.unsupported();
  x.mods().take("entry");
  const uint32_t d = x.predicate_destination(x.operand(0));
  x.emit(Micro::isspacep, d, x.source_row(x.operand(1), 8)).flags =
      static_cast<uint32_t>(kSpaces[space]);
}

}  // namespace tcd::emu
