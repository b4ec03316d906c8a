// wmma.load, wmma.store, wmma.mma (PTX ISA 9.7.14.4). Which lane holds which cell is the tensor
// part's knowledge; decode has put every access's row and column into the pool.
#include "tensor/wmma.h"

#include "machine/exec/address.h"

namespace tcd::emu::TCD_ISA_NAMESPACE {
namespace {

// pool[extra…]: row of the stride, number of registers, the registers, then for every access 32
// times row << 16 | column. a: base address. All lanes pass the same base and stride.
struct Fragment {
  u32 stride;
  u32 count;
  const u32* registers;
  const u32* cells;
};

Fragment fragment_of(Warp& w, const MicroOp* op) {
  const u32* pool = w.pool + op->extra;
  return {row<u32>(w, pool[0])[0], pool[1], pool + 2, pool + 2 + pool[1]};
}

void locate(Warp& w, const MicroOp* op, const Fragment& f, u32 access, u32 element_bytes,
            u32 access_bytes, AccessKind kind, Pointers& out) {
  alignas(64) u64 address[kLanes];
  const u32* cells = f.cells + access * kLanes;
  const bool row_major = (op->flags & kMatrixRowMajor) != 0;
  const u64 base = (op->flags & kWideAddress) != 0 ? row<u64>(w, op->a)[0] : row<u32>(w, op->a)[0];
  for (int i = 0; i < kLanes; ++i) {
    const u64 r = cells[i] >> 16, c = cells[i] & 0xffff;
    const u64 offset = row_major ? r * f.stride + c : c * f.stride + r;
    address[i] = base + static_cast<u64>(op->imm) + offset * element_bytes;
  }
  if ((op->flags & kMatrixShared) == 0) {
    resolve_at(w, op, kAllLanes, address, 0, access_bytes, kind, out);
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

const MicroOp* load(Warp& w, const MicroOp* op, u32 mask) {
  if (mask != kAllLanes) return w.wait_for_lanes(op, kAllLanes);
  const Fragment f = fragment_of(w, op);
  Pointers p;
  for (u32 k = 0; k < f.count; ++k) {
    u32* d = row<u32>(w, f.registers[k]);
    if ((op->flags & kMatrixHalves) == 0) {
      const u32 element = (op->flags & kMatrixPairs) != 0 ? 2 : 4;
      locate(w, op, f, k, element, 4, AccessKind::kLoad, p);
      for (int i = 0; i < kLanes; ++i) d[i] = load_as<u32>(p.at(i, 4));
    } else {
      for (u32 half = 0; half < 2; ++half) {
        locate(w, op, f, 2 * k + half, 2, 2, AccessKind::kLoad, p);
        for (int i = 0; i < kLanes; ++i) {
          const u32 v = load_as<u16>(p.at(i, 2));
          d[i] = half == 0 ? v : (d[i] & 0xffff) | v << 16;
        }
      }
    }
  }
  return op + 1;
}

const MicroOp* store(Warp& w, const MicroOp* op, u32 mask) {
  if (mask != kAllLanes) return w.wait_for_lanes(op, kAllLanes);
  const Fragment f = fragment_of(w, op);
  Pointers p;
  for (u32 k = 0; k < f.count; ++k) {
    const u32* b = row<u32>(w, f.registers[k]);
    if ((op->flags & kMatrixHalves) == 0) {
      const u32 element = (op->flags & kMatrixPairs) != 0 ? 2 : 4;
      locate(w, op, f, k, element, 4, AccessKind::kStore, p);
      for (int i = 0; i < kLanes; ++i) store_as(p.at(i, 4), b[i]);
    } else {
      for (u32 half = 0; half < 2; ++half) {
        locate(w, op, f, 2 * k + half, 2, 2, AccessKind::kStore, p);
        for (int i = 0; i < kLanes; ++i) {
          store_as(p.at(i, 2), static_cast<u16>(b[i] >> (16 * half)));
        }
      }
    }
  }
  return op + 1;
}

// flags: bits 0–1 WmmaShape, bit 2 D is f16, bit 3 C is f16. pool[extra…]: D, A, B, C.
const MicroOp* multiply(Warp& w, const MicroOp* op, u32 mask) {
  if (mask != kAllLanes) return w.wait_for_lanes(op, kAllLanes);
  const bool half_d = (op->flags & 4) != 0, half_c = (op->flags & 8) != 0;
  const int nd = half_d ? 4 : 8, nc = half_c ? 4 : 8;
  Row a[8], b[8], c[8], d[8];
  const u32* at = w.pool + op->extra + nd;
  for (Row& r : a) r = *row<Row>(w, *at++);
  for (Row& r : b) r = *row<Row>(w, *at++);
  for (int i = 0; i < nc; ++i) c[i] = *row<Row>(w, *at++);
  wmma_mma(*w.numerics, static_cast<WmmaShape>(op->flags & 3), half_d, half_c, a, b, c, d);
  for (int i = 0; i < nd; ++i) *row<Row>(w, w.pool[op->extra + u32(i)]) = d[i];
  ++w.counters->wmma;
  return op + 1;
}

}  // namespace

void fill_wmma(Table& t) {
  bind_handler(t, Micro::wmma_load, &load);
  bind_handler(t, Micro::wmma_store, &store);
  bind_handler(t, Micro::wmma_mma, &multiply);
}

}  // namespace tcd::emu::TCD_ISA_NAMESPACE
