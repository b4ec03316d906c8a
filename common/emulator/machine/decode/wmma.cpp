// wmma.load, wmma.store, wmma.mma → micro-operations (PTX ISA 9.7.14.4).
#include "machine/decode/matrix.h"
#include "machine/memory_flags.h"
#include "tensor/row.h"
#include "tensor/wmma_layout.h"

namespace tcd::emu {
namespace {

using K = TypeName::Kind;

WmmaShape take_shape(Decoder& x) {
  const int shape =
      x.mods().take_one_of({"m16n16k16", "m32n8k16", "m8n32k16", "m16n16k8", "m8n8k32", "m8n8k4"});
  if (shape < 0) x.unsupported();
  return static_cast<WmmaShape>(shape);
}

// What A and B hold, seen from one of the instruction's types. f16, f32 and s32 accumulators go
// with several: their layout depends on the shape alone.
WmmaElement element_of(Decoder& x, WmmaShape shape, const TypeName& t) {
  switch (shape) {
    case WmmaShape::kM16N16K8:
      return WmmaElement::kTf32;
    case WmmaShape::kM8N8K32:
      return WmmaElement::kNibble;
    case WmmaShape::kM8N8K4:
      return WmmaElement::kDouble;
    default:
      break;
  }
  if (t.kind == K::kBfloat) return WmmaElement::kBfloat;
  if (t.bits == 8) return WmmaElement::kByte;
  if (t.kind != K::kFloat && t.bits != 32) x.unsupported();
  return WmmaElement::kHalf;
}

bool type_fits(WmmaShape shape, WmmaOperand operand, const TypeName& t) {
  const bool is_integer = t.kind == K::kSigned || t.kind == K::kUnsigned;
  const bool is_float = t.kind == K::kFloat;
  if (shape == WmmaShape::kM8N8K4) return is_float && t.bits == 64;
  if (operand == WmmaOperand::kAccumulator) {
    if (shape == WmmaShape::kM8N8K32) return t.kind == K::kSigned && t.bits == 32;
    if (shape == WmmaShape::kM16N16K8) return is_float && t.bits == 32;
    return (is_float && t.bits <= 32) || (t.kind == K::kSigned && t.bits == 32);
  }
  if (shape == WmmaShape::kM8N8K32) return is_integer && t.bits == 4;
  if (shape == WmmaShape::kM16N16K8) return t.kind == K::kTf32;
  return (is_float && t.bits == 16) || t.kind == K::kBfloat || (is_integer && t.bits == 8);
}

// A register is filled by `parts` accesses of elements that are neighbours in memory.
struct Parts {
  int parts, elements;
};

Parts parts_of(WmmaShape shape, WmmaOperand operand, WmmaElement type, bool row_major,
               int registers, int per_register) {
  for (int r = 0; r < registers; ++r) {
    for (int lane = 0; lane < kLanes; ++lane) {
      for (int e = 1; e < per_register; ++e) {
        const auto offset = [&](int element) {
          return wmma_offset(shape, operand, row_major, 1000, lane, r * per_register + element,
                             type);
        };
        if (offset(e) != offset(0) + e) return {per_register, 1};
      }
    }
  }
  return {1, per_register};
}

void decode_access(Decoder& x, bool load) {
  Modifiers& m = x.mods();
  const int which = m.take_one_of({"a", "b", "c", "d"});
  const WmmaOperand operand = which == 0   ? WmmaOperand::kA
                              : which == 1 ? WmmaOperand::kB
                                           : WmmaOperand::kAccumulator;
  m.take("sync");
  m.take("aligned");
  const bool row_major = m.take_one_of({"row", "col"}) == 0;
  const WmmaShape shape = take_shape(x);
  const int space = m.take_one_of({"global", "shared", "shared::cta"});
  const TypeName t = m.need_type();
  if (!type_fits(shape, operand, t)) x.unsupported();
  const WmmaElement type = element_of(x, shape, t);
  if (type != WmmaElement::kHalf)
    x.need_compute(type == WmmaElement::kByte || type == WmmaElement::kNibble ? 72 : 80,
                   "wmma of this type");
  const int bits = t.kind == K::kTf32 ? 32 : static_cast<int>(t.bits);
  const int registers = wmma_registers(shape, operand, type, bits);
  const int per_register = bits < 32 ? 32 / bits : 1;
  const Parts parts = parts_of(shape, operand, type, row_major, registers, per_register);
  if (parts.elements * bits < 8) x.unsupported("4-bit matrices: A by rows, B by columns");
  const auto a =
      x.address(x.operand(load ? 1 : 0), space > 0 ? ptx::Space::kShared : ptx::Space::kGlobal);
  const WmmaExtent extent = wmma_extent(shape, operand);
  const uint32_t stride =
      x.operands() > 2
          ? x.source_b32(x.operand(2))
          : x.constant(static_cast<uint64_t>(row_major ? extent.cols : extent.rows), 4);
  std::vector<uint32_t> pool{stride, static_cast<uint32_t>(registers), static_cast<uint32_t>(bits),
                             static_cast<uint32_t>(parts.parts)};
  append_rows(x, x.operand(load ? 0 : 1), static_cast<size_t>(registers), load, pool,
              bits == 64 ? 8 : 4);
  // One entry per access and lane: the cell of its first element.
  for (int access = 0; access < registers * parts.parts; ++access) {
    for (int lane = 0; lane < kLanes; ++lane) {
      const Cell c = wmma_cell(shape, operand, lane, access * parts.elements, type);
      pool.push_back(static_cast<uint32_t>(c.row) << 16 | static_cast<uint32_t>(c.col));
    }
  }
  const uint32_t extra = x.pool(pool);
  const uint32_t slot = x.access_slot();
  MicroOp& op = x.emit(load ? Micro::wmma_load : Micro::wmma_store, 0, a.row);
  op.imm = a.offset;
  op.extra = extra;
  op.slot = slot;
  op.flags = (a.is_wide ? kWideAddress : 0) | (space < 0 ? kGenericSpace : 0) |
             (space > 0 ? kMatrixShared : 0) | (row_major ? kMatrixRowMajor : 0) |
             (bits == 64 ? kMatrixWide : 0);
}

void emit_multiply(Decoder& x, Micro micro, WmmaShape shape, int d, int a, int b, int c,
                   uint32_t flags) {
  std::vector<uint32_t> rows{static_cast<uint32_t>(a), static_cast<uint32_t>(b)};
  append_rows(x, x.operand(0), static_cast<size_t>(d), true, rows);
  append_rows(x, x.operand(1), static_cast<size_t>(a), false, rows);
  append_rows(x, x.operand(2), static_cast<size_t>(b), false, rows);
  append_rows(x, x.operand(3), static_cast<size_t>(c), false, rows);
  const uint32_t extra = x.pool(rows);
  MicroOp& op = x.emit(micro);
  op.extra = extra;
  op.flags = static_cast<uint32_t>(shape) | flags;
}

// The fragments' layout does not depend on row or col: both are forgotten after the load.
void decode_multiply(Decoder& x) {
  Modifiers& m = x.mods();
  m.ignore({"sync", "aligned"});
  for (int i = 0; i < 2; ++i) m.take_one_of({"row", "col"});
  const WmmaShape shape = take_shape(x);
  const TypeName d = m.need_type(), second = m.need_type();
  const bool saturates = m.take("satfinite");
  const bool only_two_types = d.kind == K::kFloat && second.kind == K::kFloat && d.bits <= 32;
  if (only_two_types) {  // .f16 inputs go without saying
    if (saturates || shape > WmmaShape::kM8N32K16) x.unsupported();
    const bool half_d = d.bits == 16, half_c = second.bits == 16;
    return emit_multiply(x, Micro::wmma_mma, shape, half_d ? 4 : 8, 8, 8, half_c ? 4 : 8,
                         (half_d ? 8u : 0u) | (half_c ? 16u : 0u));
  }
  const TypeName b = m.need_type(), c = m.need_type();
  if (b != second || c != d || !type_fits(shape, WmmaOperand::kA, second) ||
      !type_fits(shape, WmmaOperand::kAccumulator, d)) {
    x.unsupported();
  }
  const WmmaElement type = element_of(x, shape, second);
  const int bits = type == WmmaElement::kTf32 ? 32 : static_cast<int>(second.bits);
  const int na = wmma_registers(shape, WmmaOperand::kA, type, bits);
  const int nb = wmma_registers(shape, WmmaOperand::kB, type, bits);
  const bool is_integer = type == WmmaElement::kByte || type == WmmaElement::kNibble;
  if (is_integer != (d.kind == K::kSigned) || (saturates && !is_integer)) x.unsupported();
  const uint32_t flags = (second.is_signed() ? 8u : 0u) | (saturates ? 16u : 0u);
  switch (type) {
    case WmmaElement::kBfloat:
      return emit_multiply(x, Micro::wmma_mma_bf16, shape, 8, na, nb, 8, 0);
    case WmmaElement::kTf32:
      return emit_multiply(x, Micro::wmma_mma_tf32, shape, 8, na, nb, 8, 0);
    case WmmaElement::kByte:
      return emit_multiply(x, Micro::wmma_mma_s8, shape, 8, na, nb, 8, flags);
    case WmmaElement::kNibble:
      return decode_mma_nibbles(x, second.is_signed(), saturates);
    case WmmaElement::kDouble:
      m.take("rn");
      return decode_mma_double(x, 8, 4);
    default:
      x.unsupported();
  }
}

}  // namespace

void decode_wmma(Decoder& x) {
  switch (x.mods().take_one_of({"load", "store", "mma"})) {
    case 0:
      return decode_access(x, true);
    case 1:
      return decode_access(x, false);
    case 2:
      return decode_multiply(x);
    default:
      x.unsupported();
  }
}

}  // namespace tcd::emu
