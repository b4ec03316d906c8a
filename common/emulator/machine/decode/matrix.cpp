// Tensor core instructions → micro-operations (PTX ISA 9.7.14).
#include "machine/decode/decoder.h"
#include "machine/memory_flags.h"

namespace tcd::emu {
namespace {

using K = TypeName::Kind;

void append_rows(Decoder& x, const ptx::Operand& o, size_t count, bool is_destination,
                 std::vector<uint32_t>& rows) {
  const bool is_list = o.kind == ptx::Operand::Kind::kVector;
  const size_t have = is_list ? o.elements.size() : 1;
  if (have != count) {
    x.unsupported("an operand of " + std::to_string(have) + " registers, expected " +
                  std::to_string(count));
  }
  for (size_t i = 0; i < count; ++i) {
    const ptx::Operand& e = is_list ? o.elements[i] : o;
    rows.push_back(is_destination ? x.destination(e, 4) : x.source_b32(e));
  }
}

}  // namespace

void decode_mma(Decoder& x) {
  Modifiers& m = x.mods();
  m.take("sync");
  m.take("aligned");
  const int shape = m.take_one_of({"m16n8k8", "m16n8k16"});
  if (shape < 0 || !m.take("row") || !m.take("col")) x.unsupported();
  const TypeName d = m.need_type(), a = m.need_type(), b = m.need_type(), c = m.need_type();
  if (!a.is(K::kFloat, 16) || !b.is(K::kFloat, 16) || d.kind != K::kFloat || c.kind != K::kFloat ||
      d.bits != c.bits) {
    x.unsupported();
  }
  if (shape == 1) x.need_compute(80, "mma.m16n8k16");
  const bool full = d.bits == 32;
  std::vector<uint32_t> rows;
  append_rows(x, x.operand(0), full ? 4 : 2, true, rows);
  append_rows(x, x.operand(1), shape == 0 ? 2 : 4, false, rows);
  append_rows(x, x.operand(2), shape == 0 ? 1 : 2, false, rows);
  append_rows(x, x.operand(3), full ? 4 : 2, false, rows);
  const Micro micro = shape == 0 ? (full ? Micro::mma_m16n8k8_f32 : Micro::mma_m16n8k8_f16)
                                 : (full ? Micro::mma_m16n8k16_f32 : Micro::mma_m16n8k16_f16);
  const uint32_t extra = x.pool(rows);
  x.emit(micro).extra = extra;
}

namespace {

void decode_matrix_memory(Decoder& x, bool load) {
  Modifiers& m = x.mods();
  m.take("sync");
  m.take("aligned");
  if (!m.take("m8n8")) x.unsupported("only m8n8 of b16");
  const int count = m.take_one_of({"x1", "x2", "x4"});
  const bool transpose = m.take("trans");
  m.take_one_of({"shared", "shared::cta"});
  const TypeName t = m.need_type();
  if (t.bits != 16 || count < 0) x.unsupported();
  std::vector<uint32_t> rows;
  append_rows(x, x.operand(load ? 0 : 1), size_t{1} << count, load, rows);
  const Decoder::Address a = x.address(x.operand(load ? 1 : 0), ptx::Space::kShared);
  const uint32_t extra = x.pool(rows);
  MicroOp& op = x.emit(load ? Micro::ldmatrix : Micro::stmatrix, 0, a.row);
  op.imm = a.offset;
  op.extra = extra;
  op.flags = 1u << count | (a.is_wide ? kWideAddress : 0) | (transpose ? kWideRegister : 0);
}

}  // namespace

void decode_ldmatrix(Decoder& x) { decode_matrix_memory(x, true); }
void decode_stmatrix(Decoder& x) { decode_matrix_memory(x, false); }

void decode_movmatrix(Decoder& x) {
  Modifiers& m = x.mods();
  m.ignore({"sync", "aligned", "m8n8", "trans"});
  m.need_type();
  const uint32_t d = x.destination(x.operand(0), 4);
  x.emit(Micro::movmatrix, d, x.source_b32(x.operand(1)));
}

void decode_wmma(Decoder& x) { x.unsupported("wmma comes next"); }

}  // namespace tcd::emu
