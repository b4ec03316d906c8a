// wmma.load, wmma.store, wmma.mma → micro-operations (PTX ISA 9.7.14.4).
#include "machine/decode/matrix.h"
#include "machine/memory_flags.h"
#include "tensor/row.h"
#include "tensor/wmma_layout.h"

namespace tcd::emu {
namespace {

using K = TypeName::Kind;

WmmaShape take_shape(Decoder& x) {
  const int shape = x.mods().take_one_of({"m16n16k16", "m32n8k16", "m8n32k16"});
  if (shape < 0) x.unsupported();
  return static_cast<WmmaShape>(shape);
}

// One entry per register and lane: the cell of its first element, or of each half where the two
// halves are no neighbours in memory.
void append_cells(WmmaShape shape, WmmaOperand operand, bool half, bool pairs,
                  std::vector<uint32_t>& pool) {
  const int registers = wmma_registers(operand, half);
  const int per_register = half ? 2 : 1;
  for (int r = 0; r < registers; ++r) {
    for (int part = 0; part < (half && !pairs ? 2 : 1); ++part) {
      for (int lane = 0; lane < kLanes; ++lane) {
        const Cell c = wmma_cell(shape, operand, lane, r * per_register + part);
        pool.push_back(static_cast<uint32_t>(c.row) << 16 | static_cast<uint32_t>(c.col));
      }
    }
  }
}

bool halves_are_neighbours(WmmaShape shape, WmmaOperand operand, bool row_major, int registers) {
  for (int r = 0; r < registers; ++r) {
    for (int lane = 0; lane < kLanes; ++lane) {
      const int64_t low = wmma_offset(shape, operand, row_major, 1000, lane, 2 * r);
      if (wmma_offset(shape, operand, row_major, 1000, lane, 2 * r + 1) != low + 1) return false;
    }
  }
  return true;
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
  const bool half = t.bits == 16;
  if (t.kind != K::kFloat || t.bits > 32 || (!half && operand != WmmaOperand::kAccumulator)) {
    x.unsupported();
  }
  const int registers = wmma_registers(operand, half);
  const bool pairs = half && halves_are_neighbours(shape, operand, row_major, registers);
  const auto a =
      x.address(x.operand(load ? 1 : 0), space > 0 ? ptx::Space::kShared : ptx::Space::kGlobal);
  const WmmaExtent extent = wmma_extent(shape, operand);
  const uint32_t stride =
      x.operands() > 2
          ? x.source_b32(x.operand(2))
          : x.constant(static_cast<uint64_t>(row_major ? extent.cols : extent.rows), 4);
  std::vector<uint32_t> pool{stride, static_cast<uint32_t>(registers)};
  append_rows(x, x.operand(load ? 0 : 1), static_cast<size_t>(registers), load, pool);
  append_cells(shape, operand, half, pairs, pool);
  const uint32_t extra = x.pool(pool);
  const uint32_t slot = x.access_slot();
  MicroOp& op = x.emit(load ? Micro::wmma_load : Micro::wmma_store, 0, a.row);
  op.imm = a.offset;
  op.extra = extra;
  op.slot = slot;
  op.flags = (a.is_wide ? kWideAddress : 0) | (space < 0 ? kGenericSpace : 0) |
             (space > 0 ? kMatrixShared : 0) | (row_major ? kMatrixRowMajor : 0) |
             (pairs  ? kMatrixPairs
              : half ? kMatrixHalves
                     : 0);
}

// The fragments' layout does not depend on row or col: both are forgotten after the load.
void decode_multiply(Decoder& x) {
  Modifiers& m = x.mods();
  m.ignore({"sync", "aligned"});
  for (int i = 0; i < 2; ++i) m.take_one_of({"row", "col"});
  const WmmaShape shape = take_shape(x);
  const TypeName d = m.need_type(), c = m.need_type();
  if (d.kind != K::kFloat || c.kind != K::kFloat || m.take("satfinite")) x.unsupported();
  const bool half_d = d.bits == 16, half_c = c.bits == 16;
  std::vector<uint32_t> rows;
  append_rows(x, x.operand(0), half_d ? 4 : 8, true, rows);
  append_rows(x, x.operand(1), 8, false, rows);
  append_rows(x, x.operand(2), 8, false, rows);
  append_rows(x, x.operand(3), half_c ? 4 : 8, false, rows);
  const uint32_t extra = x.pool(rows);
  MicroOp& op = x.emit(Micro::wmma_mma);
  op.extra = extra;
  op.flags = static_cast<uint32_t>(shape) | (half_d ? 4u : 0u) | (half_c ? 8u : 0u);
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
