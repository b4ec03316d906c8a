// wmma.load, wmma.store, wmma.mma (PTX ISA 9.7.14.4). Which lane holds which cell is the tensor
// part's knowledge; decode has put every access's row and column into the pool.
#include "tensor/wmma.h"

#include "machine/exec/address.h"

namespace tcd::emu::TCD_ISA_NAMESPACE {
namespace {

// pool[extra…]: row of the stride, number of registers, bits of an element, accesses that fill a
// register, the registers, then for every access 32 times row << 16 | column. a: base address. All
// lanes pass the same base and stride.
struct Fragment {
  u32 stride;
  u32 count;
  u32 bits;
  u32 parts;
  const u32* registers;
  const u32* cells;
};

Fragment fragment_of(Warp& w, const MicroOp* op) {
  const u32* pool = w.pool + op->extra;
  return {row<u32>(w, pool[0])[0], pool[1], pool[2], pool[3], pool + 4, pool + 4 + pool[1]};
}

void locate(Warp& w, const MicroOp* op, const Fragment& f, u32 access, u32 access_bytes,
            AccessKind kind, Pointers& out, const std::byte* values = nullptr) {
  alignas(64) u64 address[kLanes];
  const u32* cells = f.cells + access * kLanes;
  const bool row_major = (op->flags & kMatrixRowMajor) != 0;
  const u64 base = (op->flags & kWideAddress) != 0 ? row<u64>(w, op->a)[0] : row<u32>(w, op->a)[0];
  for (int i = 0; i < kLanes; ++i) {
    const u64 r = cells[i] >> 16, c = cells[i] & 0xffff;
    const u64 offset = row_major ? r * f.stride + c : c * f.stride + r;
    address[i] = base + static_cast<u64>(op->imm) + offset * f.bits / 8;
  }
  if ((op->flags & kMatrixShared) == 0) {
    resolve_at(w, op, kAllLanes, address, 0, access_bytes, kind, out);
    if (values != nullptr) note_stored(w, op, kAllLanes, address, 0, access_bytes, values);
    return;
  }
  alignas(64) u32 narrow[kLanes];
  for (int i = 0; i < kLanes; ++i) {
    narrow[i] = address[i] > 0xffffffffu ? 0xffffffffu : static_cast<u32>(address[i]);
  }
  check_shared(w, op, kAllLanes, narrow, access_bytes,
               kind == AccessKind::kStore ? AccessKind::kMatrixStore : kind);
  out.run = nullptr;
  for (int i = 0; i < kLanes; ++i) out.lane[i] = w.shared + narrow[i];
}

template <class Register, class Part>
void load_parts(Warp& w, const MicroOp* op, const Fragment& f) {
  Pointers p;
  for (u32 k = 0; k < f.count; ++k) {
    Register* d = row<Register>(w, f.registers[k]);
    for (u32 part = 0; part < f.parts; ++part) {
      locate(w, op, f, f.parts * k + part, sizeof(Part), AccessKind::kLoad, p);
      for (int i = 0; i < kLanes; ++i) {
        const Register v = load_as<Part>(p.at(i, sizeof(Part)));
        d[i] = part == 0 ? v : d[i] | v << (8 * sizeof(Part) * part);
      }
    }
  }
}

template <class Register, class Part>
void store_parts(Warp& w, const MicroOp* op, const Fragment& f) {
  Pointers p;
  std::byte values[kLanes][32];  // for the checks: other CTAs may look there
  const std::byte* const noted = w.global != nullptr ? values[0] : nullptr;
  for (u32 k = 0; k < f.count; ++k) {
    const Register* b = row<Register>(w, f.registers[k]);
    for (u32 part = 0; part < f.parts; ++part) {
      const auto value = [&](int i) {
        return static_cast<Part>(b[i] >> (8 * sizeof(Part) * part));
      };
      for (int i = 0; i < kLanes; ++i) store_as(values[i], value(i));
      locate(w, op, f, f.parts * k + part, sizeof(Part), AccessKind::kStore, p, noted);
      for (int i = 0; i < kLanes; ++i) store_as(p.at(i, sizeof(Part)), value(i));
    }
  }
}

const MicroOp* load(Warp& w, const MicroOp* op, u32 mask) {
  if (mask != kAllLanes) return w.wait_for_lanes(op, kAllLanes);
  const Fragment f = fragment_of(w, op);
  if ((op->flags & kMatrixWide) != 0) {
    load_parts<u64, u64>(w, op, f);
  } else if (f.parts == 1) {
    load_parts<u32, u32>(w, op, f);
  } else if (f.parts == 2) {
    load_parts<u32, u16>(w, op, f);
  } else {
    load_parts<u32, u8>(w, op, f);
  }
  return op + 1;
}

const MicroOp* store(Warp& w, const MicroOp* op, u32 mask) {
  if (mask != kAllLanes) return w.wait_for_lanes(op, kAllLanes);
  const Fragment f = fragment_of(w, op);
  if ((op->flags & kMatrixWide) != 0) {
    store_parts<u64, u64>(w, op, f);
  } else if (f.parts == 1) {
    store_parts<u32, u32>(w, op, f);
  } else {  // accumulators: halves
    store_parts<u32, u16>(w, op, f);
  }
  return op + 1;
}

// flags: bits 0–2 WmmaShape, then by type. pool[extra…]: registers of A, of B; D, A, B, C. D may
// name the same registers as any other operand: everything is read before anything is written.
struct Operands {
  Row a[8], b[8], c[8], d[8];
  const u32* results;
};

void read_operands(Warp& w, const MicroOp* op, int nd, int nc, Operands& x) {
  const u32* at = w.pool + op->extra;
  const int na = static_cast<int>(at[0]), nb = static_cast<int>(at[1]);
  x.results = at + 2;
  at += 2 + nd;
  for (int i = 0; i < na; ++i) x.a[i] = *row<Row>(w, *at++);
  for (int i = 0; i < nb; ++i) x.b[i] = *row<Row>(w, *at++);
  for (int i = 0; i < nc; ++i) x.c[i] = *row<Row>(w, *at++);
}

const MicroOp* finish(Warp& w, const MicroOp* op, int nd, const Operands& x) {
  for (int i = 0; i < nd; ++i) *row<Row>(w, x.results[i]) = x.d[i];
  ++w.counters->wmma;
  return op + 1;
}

WmmaShape shape_of(const MicroOp* op) { return static_cast<WmmaShape>(op->flags & 7); }

// bit 3: D is f16, bit 4: C is f16.
const MicroOp* multiply(Warp& w, const MicroOp* op, u32 mask) {
  if (mask != kAllLanes) return w.wait_for_lanes(op, kAllLanes);
  const bool half_d = (op->flags & 8) != 0, half_c = (op->flags & 16) != 0;
  Operands x;
  read_operands(w, op, half_d ? 4 : 8, half_c ? 4 : 8, x);
  wmma_mma(*w.numerics, shape_of(op), half_d, half_c, x.a, x.b, x.c, x.d);
  return finish(w, op, half_d ? 4 : 8, x);
}

const MicroOp* multiply_bf16(Warp& w, const MicroOp* op, u32 mask) {
  if (mask != kAllLanes) return w.wait_for_lanes(op, kAllLanes);
  Operands x;
  read_operands(w, op, 8, 8, x);
  wmma_mma_bf16(*w.numerics, shape_of(op), x.a, x.b, x.c, x.d);
  return finish(w, op, 8, x);
}

const MicroOp* multiply_tf32(Warp& w, const MicroOp* op, u32 mask) {
  if (mask != kAllLanes) return w.wait_for_lanes(op, kAllLanes);
  Operands x;
  read_operands(w, op, 8, 8, x);
  wmma_mma_tf32(*w.numerics, x.a, x.b, x.c, x.d);
  return finish(w, op, 8, x);
}

// bit 3: signed, bit 4: .satfinite.
const MicroOp* multiply_s8(Warp& w, const MicroOp* op, u32 mask) {
  if (mask != kAllLanes) return w.wait_for_lanes(op, kAllLanes);
  Operands x;
  read_operands(w, op, 8, 8, x);
  wmma_mma_s8((op->flags & 8) != 0, (op->flags & 16) != 0, shape_of(op), x.a, x.b, x.c, x.d);
  return finish(w, op, 8, x);
}

}  // namespace

void fill_wmma(Table& t) {
  bind_handler(t, Micro::wmma_load, &load);
  bind_handler(t, Micro::wmma_store, &store);
  bind_handler(t, Micro::wmma_mma, &multiply);
  bind_handler(t, Micro::wmma_mma_bf16, &multiply_bf16);
  bind_handler(t, Micro::wmma_mma_tf32, &multiply_tf32);
  bind_handler(t, Micro::wmma_mma_s8, &multiply_s8);
}

}  // namespace tcd::emu::TCD_ISA_NAMESPACE
