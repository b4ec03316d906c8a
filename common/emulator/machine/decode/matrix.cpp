// mma.sync, ldmatrix and their kin → micro-operations (PTX ISA 9.7.14).
#include "machine/decode/matrix.h"

#include <algorithm>

#include "machine/memory_flags.h"
#include "tensor/row.h"

namespace tcd::emu {

using K = TypeName::Kind;

void append_rows(Decoder& x, const ptx::Operand& o, size_t count, bool is_destination,
                 std::vector<uint32_t>& rows, unsigned bytes) {
  const bool is_list = o.kind == ptx::Operand::Kind::kVector;
  const size_t have = is_list ? o.elements.size() : 1;
  if (have != count) {
    x.unsupported("an operand of " + std::to_string(have) + " registers, expected " +
                  std::to_string(count));
  }
  for (size_t i = 0; i < count; ++i) {
    const ptx::Operand& e = is_list ? o.elements[i] : o;
    rows.push_back(is_destination ? x.destination(e, bytes)
                   : bytes == 8   ? x.source_row(e, 8)
                                  : x.source_b32(e));
  }
}

namespace {

struct MmaTypes {
  TypeName d, a, b, c;
};

bool adjacent(const uint32_t* rows, size_t count) {
  for (size_t i = 1; i < count; ++i) {
    if (rows[i] != rows[0] + i * sizeof(Row)) return false;
  }
  return true;
}

bool apart(const uint32_t* a, size_t count_a, const uint32_t* b, size_t count_b) {
  for (size_t i = 0; i < count_a; ++i) {
    if (std::find(b, b + count_b, a[i]) != b + count_b) return false;
  }
  return true;
}

// Which operands the handler may use where they stand, instead of a copy.
uint32_t operands_in_place(const std::vector<uint32_t>& rows, size_t d, size_t a, size_t b) {
  const uint32_t *of_d = rows.data(), *of_a = of_d + d, *of_b = of_a + a, *of_c = of_b + b;
  const bool c_is_d = std::equal(of_d, of_d + d, of_c);
  const bool d_is_free = apart(of_d, d, of_a, a + b) && (c_is_d || apart(of_d, d, of_c, d));
  return (adjacent(of_d, d) && d_is_free ? kInPlaceD : 0) | (adjacent(of_a, a) ? kInPlaceA : 0) |
         (adjacent(of_b, b) ? kInPlaceB : 0) | (adjacent(of_c, d) ? kInPlaceC : 0);
}

void emit_mma(Decoder& x, Micro micro, size_t d, size_t a, size_t b, uint32_t flags = 0,
              int64_t imm = 0) {
  std::vector<uint32_t> rows;
  append_rows(x, x.operand(0), d, true, rows);
  append_rows(x, x.operand(1), a, false, rows);
  append_rows(x, x.operand(2), b, false, rows);
  append_rows(x, x.operand(3), d, false, rows);
  const uint32_t extra = x.pool(rows);
  MicroOp& op = x.emit(micro);
  op.extra = extra;
  op.flags = flags | operands_in_place(rows, d, a, b);
  op.imm = imm;
}

void decode_mma_float(Decoder& x, std::string_view shape, const MmaTypes& t) {
  if (!t.d.is_float() || t.d.bits != t.c.bits || t.a.bits != t.b.bits) x.unsupported();
  const bool full = t.d.bits == 32;
  if (t.a.kind == K::kFloat && t.b.kind == K::kFloat && t.a.bits == 16) {
    if (shape == "m16n8k8") {
      return emit_mma(x, full ? Micro::mma_m16n8k8_f32 : Micro::mma_m16n8k8_f16, full ? 4 : 2, 2,
                      1);
    }
    if (shape == "m16n8k16") {
      x.need_compute(80, "mma.m16n8k16");
      return emit_mma(x, full ? Micro::mma_m16n8k16_f32 : Micro::mma_m16n8k16_f16, full ? 4 : 2, 4,
                      2);
    }
  }
  if (t.a.kind == K::kBfloat && t.b.kind == K::kBfloat && full) {
    x.need_compute(80, "mma of bf16");
    if (shape == "m16n8k8") return emit_mma(x, Micro::mma_m16n8k8_bf16, 4, 2, 1);
    if (shape == "m16n8k16") return emit_mma(x, Micro::mma_m16n8k16_bf16, 4, 4, 2);
  }
  if (t.a.kind == K::kTf32 && t.b.kind == K::kTf32 && full) {
    x.need_compute(80, "mma of tf32");
    if (shape == "m16n8k4") return emit_mma(x, Micro::mma_m16n8k4_tf32, 4, 2, 1);
    if (shape == "m16n8k8") return emit_mma(x, Micro::mma_m16n8k8_tf32, 4, 4, 2);
  }
  x.unsupported();
}

void decode_mma_fp8(Decoder& x, std::string_view shape, const MmaTypes& t) {
  x.need_compute(89, "mma of 8-bit floating point");
  if (t.d.kind != K::kFloat || t.d.bits != t.c.bits) x.unsupported();
  const bool full = t.d.bits == 32;
  const uint32_t flags = (t.a.kind == K::kE5m2 ? 1u : 0u) | (t.b.kind == K::kE5m2 ? 2u : 0u);
  if (shape == "m16n8k16") {
    return emit_mma(x, full ? Micro::mma_m16n8k16_fp8_f32 : Micro::mma_m16n8k16_fp8_f16,
                    full ? 4 : 2, 2, 1, flags);
  }
  if (shape == "m16n8k32") {
    return emit_mma(x, full ? Micro::mma_m16n8k32_fp8_f32 : Micro::mma_m16n8k32_fp8_f16,
                    full ? 4 : 2, 4, 2, flags);
  }
  x.unsupported();
}

void decode_mma_integer(Decoder& x, std::string_view shape, const MmaTypes& t) {
  struct Form {
    std::string_view shape;
    unsigned bits;
    int k, since;
    size_t d, a, b;
  };
  constexpr Form kForms[] = {{"m8n8k16", 8, 16, 75, 2, 1, 1},  {"m16n8k16", 8, 16, 80, 4, 2, 1},
                             {"m16n8k32", 8, 32, 80, 4, 4, 2}, {"m8n8k32", 4, 32, 75, 2, 1, 1},
                             {"m16n8k32", 4, 32, 80, 4, 2, 1}, {"m16n8k64", 4, 64, 80, 4, 4, 2}};
  const uint32_t saturate = x.mods().take("satfinite") ? 4 : 0;
  for (const Form& f : kForms) {
    if (f.shape != shape || f.bits != t.a.bits || f.bits != t.b.bits) continue;
    x.need_compute(f.since, "mma." + std::string(shape) + " of integers");
    const uint32_t flags = (t.a.is_signed() ? 1u : 0u) | (t.b.is_signed() ? 2u : 0u) | saturate |
                           (f.d == 2 ? 8u : 0u) | (f.bits == 4 ? 16u : 0u);
    return emit_mma(x, Micro::mma_integer, f.d, f.a, f.b, flags, f.k);
  }
  x.unsupported();
}

}  // namespace

void decode_mma_nibbles(Decoder& x, bool is_signed, bool saturates) {
  emit_mma(x, Micro::mma_integer, 2, 1, 1, (is_signed ? 3u : 0u) | (saturates ? 4u : 0u) | 8u | 16u,
           32);
}

void decode_mma_double(Decoder& x, int m, int k) {
  x.need_compute(m == 8 ? 80 : 90, "mma of doubles");
  const size_t blocks = static_cast<size_t>(m / 8), nb = static_cast<size_t>(k / 4);
  std::vector<uint32_t> rows;
  append_rows(x, x.operand(0), 2 * blocks, true, rows, 8);
  append_rows(x, x.operand(1), nb * blocks, false, rows, 8);
  append_rows(x, x.operand(2), nb, false, rows, 8);
  append_rows(x, x.operand(3), 2 * blocks, false, rows, 8);
  const uint32_t extra = x.pool(rows);
  MicroOp& op = x.emit(Micro::mma_f64);
  op.extra = extra;
  op.flags = m == 8 ? 1 : 0;
  op.imm = k;
}

void decode_mma(Decoder& x) {
  Modifiers& m = x.mods();
  m.take("sync");
  m.take("aligned");
  constexpr std::string_view kShapes[] = {"m16n8k4",  "m16n8k8", "m16n8k16", "m16n8k32",
                                          "m16n8k64", "m8n8k16", "m8n8k32",  "m8n8k4"};
  std::string_view shape;
  for (std::string_view s : kShapes) {
    if (m.take(s)) shape = s;
  }
  if (shape.empty() || !m.take("row") || !m.take("col")) x.unsupported();
  MmaTypes t;
  t.d = m.need_type();
  t.a = m.need_type();
  t.b = m.need_type();
  t.c = m.need_type();
  if (t.a.kind == K::kFloat && t.a.bits == 64) {
    m.take("rn");
    if (t.b != t.a || t.c != t.a || t.d != t.a) x.unsupported();
    if (shape == "m8n8k4") return decode_mma_double(x, 8, 4);
    if (shape == "m16n8k4") return decode_mma_double(x, 16, 4);
    if (shape == "m16n8k8") return decode_mma_double(x, 16, 8);
    if (shape == "m16n8k16") return decode_mma_double(x, 16, 16);
    x.unsupported();
  }
  switch (t.a.kind) {
    case K::kE4m3:
    case K::kE5m2:
      return decode_mma_fp8(x, shape, t);
    case K::kSigned:
    case K::kUnsigned:
      return decode_mma_integer(x, shape, t);
    default:
      return decode_mma_float(x, shape, t);
  }
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
  const uint32_t slot = x.access_slot();
  MicroOp& op = x.emit(load ? Micro::ldmatrix : Micro::stmatrix, 0, a.row);
  op.slot = slot;
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

}  // namespace tcd::emu
