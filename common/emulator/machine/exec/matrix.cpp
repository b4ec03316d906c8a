// mma.sync, ldmatrix and their kin on rows (PTX ISA 9.7.14). The arithmetic is in tensor/.
#include <cmath>

#include "machine/exec/address.h"
#include "machine/exec/float_rules.h"
#include "tensor/mma.h"

namespace tcd::emu::TCD_ISA_NAMESPACE {
namespace {

// Registers of an operand in pool[first…], in place where decoding found that possible.
template <int kCount>
const Row* gather(Warp& w, const MicroOp* op, u32 in_place, u32 first, Row (&copy)[kCount]) {
  const u32* at = w.pool + first;
  if (__builtin_expect((op->flags & in_place) != 0, 1)) return row<Row>(w, at[0]);
  for (int k = 0; k < kCount; ++k) copy[k] = *row<Row>(w, at[k]);
  return copy;
}

template <int kCount>
void scatter(Warp& w, u32 first, const Row (&result)[kCount]) {
  for (u32 k = 0; k < kCount; ++k) *row<Row>(w, w.pool[first + k]) = result[k];
}

// Calls multiply(a, b, c, d) on the operands in pool[extra…]: D, A, B, C registers in this order.
template <int kD, int kA, int kB, class Multiply>
const MicroOp* on_fragments(Warp& w, const MicroOp* op, Multiply multiply) {
  Row a[kA], b[kB], c[kD], d[kD];
  const u32 first = op->extra;
  const Row* pa = gather(w, op, kInPlaceA, first + kD, a);
  const Row* pb = gather(w, op, kInPlaceB, first + kD + kA, b);
  const Row* pc = gather(w, op, kInPlaceC, first + kD + kA + kB, c);
  if (__builtin_expect((op->flags & kInPlaceD) != 0, 1)) {
    multiply(pa, pb, pc, row<Row>(w, w.pool[first]));
  } else {
    multiply(pa, pb, pc, d);
    scatter(w, first, d);
  }
  return op + 1;
}

using MmaFunction = void (*)(const TensorNumerics&, const Row*, const Row*, const Row*, Row*);

// All 32 lanes take part.
template <MmaFunction kFunction, int kD, int kA, int kB, uint64_t LaunchCounters::*kCounter>
const MicroOp* mma(Warp& w, const MicroOp* op, u32 mask) {
  if (mask != kAllLanes) return w.wait_for_lanes(op, kAllLanes);
  ++(w.counters->*kCounter);
  return on_fragments<kD, kA, kB>(w, op, [&](const Row* a, const Row* b, const Row* c, Row* d) {
    kFunction(*w.numerics, a, b, c, d);
  });
}

using Fp8Function = void (*)(const TensorNumerics&, Fp8, Fp8, const Row*, const Row*, const Row*,
                             Row*);

// flags: bit 0 A is e5m2, bit 1 B is e5m2.
template <Fp8Function kFunction, int kD, int kA, int kB>
const MicroOp* mma_fp8(Warp& w, const MicroOp* op, u32 mask) {
  if (mask != kAllLanes) return w.wait_for_lanes(op, kAllLanes);
  ++w.counters->mma_fp8;
  const Fp8 a_type = (op->flags & 1) != 0 ? Fp8::kE5m2 : Fp8::kE4m3;
  const Fp8 b_type = (op->flags & 2) != 0 ? Fp8::kE5m2 : Fp8::kE4m3;
  return on_fragments<kD, kA, kB>(w, op, [&](const Row* a, const Row* b, const Row* c, Row* d) {
    kFunction(*w.numerics, a_type, b_type, a, b, c, d);
  });
}

// flags: bit 0 A signed, bit 1 B signed, bit 2 .satfinite, bit 3 m is 8, bit 4 four bits; imm: k.
const MicroOp* mma_integer(Warp& w, const MicroOp* op, u32 mask) {
  if (mask != kAllLanes) return w.wait_for_lanes(op, kAllLanes);
  IntegerMma shape{};
  shape.m = (op->flags & 8) != 0 ? 8 : 16;
  shape.k = static_cast<int>(op->imm);
  shape.bits = (op->flags & 16) != 0 ? 4 : 8;
  shape.a_signed = (op->flags & 1) != 0;
  shape.b_signed = (op->flags & 2) != 0;
  shape.saturate = (op->flags & 4) != 0;
  // A register holds 32 / bits values; B's 8 columns need k * 8 * bits / 1024 registers.
  const int nb = shape.k * shape.bits / 128, na = nb * shape.m / 8, nd = shape.m == 8 ? 2 : 4;
  Row a[4], b[2], c[4], d[4];
  const u32* at = w.pool + op->extra + nd;
  for (int i = 0; i < na; ++i) a[i] = *row<Row>(w, *at++);
  for (int i = 0; i < nb; ++i) b[i] = *row<Row>(w, *at++);
  for (int i = 0; i < nd; ++i) c[i] = *row<Row>(w, *at++);
  mma_s32(shape, a, b, c, d);
  for (int i = 0; i < nd; ++i) *row<Row>(w, w.pool[op->extra + u32(i)]) = d[i];
  ++w.counters->mma_integer;
  return op + 1;
}

// Of several NaN B's goes on first, then the sum's, then A's, made quiet; a new one is negative.
// (The scalar fma.f64 of the same chip has one NaN for all.) Seen on an H200.
f64 fused(f64 a, f64 b, f64 c) {
  for (const f64 v : {b, c, a}) {
    if (std::isnan(v)) return std::bit_cast<f64>(std::bit_cast<u64>(v) | u64{1} << 51);
  }
  const f64 sum = std::fma(a, b, c);
  return std::isnan(sum) ? std::bit_cast<f64>(u64{0xfff8} << 48) : sum;
}

// A chain of fused multiply-adds over k, C first, each rounded to nearest even. Register r of A
// holds row group + 8 * (r % (m / 8)), column in_group + 4 * (r / (m / 8)); register r of B row
// in_group + 4 * r. imm: k; flags: bit 0 m is 8.
const MicroOp* mma_f64(Warp& w, const MicroOp* op, u32 mask) {
  if (mask != kAllLanes) return w.wait_for_lanes(op, kAllLanes);
  const int k = static_cast<int>(op->imm), blocks = (op->flags & 1) != 0 ? 1 : 2;
  const int nb = k / 4, na = nb * blocks, nd = 2 * blocks;
  f64 a[16][16], b[8][16];
  const u32* at = w.pool + op->extra + nd;
  for (int r = 0; r < na; ++r) {
    const f64* from = row<f64>(w, *at++);
    for (int i = 0; i < kLanes; ++i)
      a[i / 4 + 8 * (r % blocks)][i % 4 + 4 * (r / blocks)] = from[i];
  }
  for (int r = 0; r < nb; ++r) {
    const f64* from = row<f64>(w, *at++);
    for (int i = 0; i < kLanes; ++i) b[i / 4][i % 4 + 4 * r] = from[i];
  }
  f64 sum[4][kLanes];
  for (int e = 0; e < nd; ++e) {
    const f64* c = row<f64>(w, *at++);
    for (int i = 0; i < kLanes; ++i) {
      const f64 *x = a[i / 4 + 8 * (e / 2)], *y = b[2 * (i % 4) + e % 2];
      f64 v = c[i];
      for (int j = 0; j < k; ++j) v = fused(x[j], y[j], v);
      sum[e][i] = v;
    }
  }
  for (int e = 0; e < nd; ++e) {
    std::memcpy(row<f64>(w, w.pool[op->extra + u32(e)]), sum[e], sizeof sum[e]);
  }
  ++w.counters->mma_f64;
  return op + 1;
}

// Up to sm_75 the lanes whose rows .x1 and .x2 ignore must pass valid addresses too, or "the
// behavior is undefined" (PTX ISA 9.7.14.5.15). A card may not notice; here it is an error.
void check_ignored_lanes(Warp& w, const MicroOp* op, u32 ignored, const SharedAddresses& a) {
  u32 bad = 0;
  each_lane(ignored, [&](int i) {
    const bool valid = u64{a.lane[i]} + 16 <= w.shared_bytes && a.lane[i] % 16 == 0;
    bad |= valid ? 0 : 1u << i;
  });
  if (bad == 0) return;
  fail(
      w, op, Fault::kIllegalAddress, bad,
      "illegal address: ldmatrix ignores the row this lane names, but up to sm_75 its address must "
      "be valid all the same",
      "Give every lane the address of a row that is read: lane % 8 for .x1, lane % 16 for .x2.");
}

// Eight rows of 16 bytes, one after the other. Written as wide as mma will read it: a load from
// several narrower stores has to wait for the last of them.
void join_rows(const std::byte* from, const u32* at, u32* to) {
#if defined(__AVX512F__)
  for (int r = 0; r < 8; r += 4) {
    __m512i v =
        _mm512_castsi128_si512(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at[r])));
    v = _mm512_inserti64x2(v, _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at[r + 1])),
                           1);
    v = _mm512_inserti64x2(v, _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at[r + 2])),
                           2);
    v = _mm512_inserti64x2(v, _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at[r + 3])),
                           3);
    _mm512_store_si512(to + 4 * r, v);
  }
#else
  for (int r = 0; r < 8; ++r) std::memcpy(to + 4 * r, from + at[r], 16);
#endif
}

// ldmatrix: lanes 8m…8m+7 give the eight row addresses of matrix m; a row is 16 bytes. Lane i gets
// word i % 4 of row i / 4, so an 8×8 matrix of b16 is a register row as it stands in memory.
// flags: element count, kWideAddress; bit 9 (kWideRegister) stands for .trans here.
const MicroOp* ldmatrix(Warp& w, const MicroOp* op, u32 mask) {
  if (mask != kAllLanes) return w.wait_for_lanes(op, kAllLanes);
  const u32 count = op->flags & kVectorMask;
  SharedAddresses a;
  shared_addresses(w, op, a);
  const u32 lanes = count == 4 ? kAllLanes : (1u << (8 * count)) - 1;
  check_shared(w, op, lanes, a.lane, 16, AccessKind::kMatrix);
  if (w.launch->profile->compute() < 80) check_ignored_lanes(w, op, ~lanes, a);
  count_shared(w, op, SiteKind::kMatrixLoad, lanes, a.lane, 16);
  for (u32 m = 0; m < count; ++m) {
    u32* d = row<u32>(w, w.pool[op->extra + m]);
    if ((op->flags & kWideRegister) == 0) {
      join_rows(w.shared, a.lane + 8 * m, d);
    } else {
      alignas(16) u16 tile[8][8];
      for (int r = 0; r < 8; ++r) std::memcpy(tile[r], w.shared + a.lane[8 * m + u32(r)], 16);
      for (int i = 0; i < kLanes; ++i) {
        d[i] = tile[2 * (i % 4)][i / 4] | u32{tile[2 * (i % 4) + 1][i / 4]} << 16;
      }
    }
  }
  return op + 1;
}

const MicroOp* stmatrix(Warp& w, const MicroOp* op, u32 mask) {
  if (mask != kAllLanes) return w.wait_for_lanes(op, kAllLanes);
  const u32 count = op->flags & kVectorMask;
  SharedAddresses a;
  shared_addresses(w, op, a);
  const u32 lanes = count == 4 ? kAllLanes : (1u << (8 * count)) - 1;
  check_shared(w, op, lanes, a.lane, 16, AccessKind::kMatrixStore);
  count_shared(w, op, SiteKind::kMatrixStore, lanes, a.lane, 16);
  for (u32 m = 0; m < count; ++m) {
    const u32* b = row<u32>(w, w.pool[op->extra + m]);
    alignas(16) u16 tile[8][8];
    if ((op->flags & kWideRegister) == 0) {
      std::memcpy(tile, b, sizeof tile);
    } else {
      for (int i = 0; i < kLanes; ++i) {
        tile[2 * (i % 4)][i / 4] = static_cast<u16>(b[i]);
        tile[2 * (i % 4) + 1][i / 4] = static_cast<u16>(b[i] >> 16);
      }
    }
    for (int r = 0; r < 8; ++r) std::memcpy(w.shared + a.lane[8 * m + u32(r)], tile[r], 16);
  }
  return op + 1;
}

// Transposes an 8×8 matrix of b16 that lies across the warp.
const MicroOp* movmatrix(Warp& w, const MicroOp* op, u32 mask) {
  if (mask != kAllLanes) return w.wait_for_lanes(op, kAllLanes);
  alignas(16) u16 tile[8][8];
  std::memcpy(tile, row<u32>(w, op->a), sizeof tile);
  u32* d = row<u32>(w, op->d);
  for (int i = 0; i < kLanes; ++i) {
    d[i] = tile[2 * (i % 4)][i / 4] | u32{tile[2 * (i % 4) + 1][i / 4]} << 16;
  }
  return op + 1;
}

}  // namespace

void fill_matrix(Table& t) {
  using C = LaunchCounters;
  bind_handler(t, Micro::mma_m16n8k8_f32, &mma<&mma_m16n8k8_f32_f16, 4, 2, 1, &C::hmma_m16n8k8>);
  bind_handler(t, Micro::mma_m16n8k16_f32, &mma<&mma_m16n8k16_f32_f16, 4, 4, 2, &C::hmma_m16n8k16>);
  bind_handler(t, Micro::mma_m16n8k8_f16, &mma<&mma_m16n8k8_f16_f16, 2, 2, 1, &C::hmma_m16n8k8>);
  bind_handler(t, Micro::mma_m16n8k16_f16, &mma<&mma_m16n8k16_f16_f16, 2, 4, 2, &C::hmma_m16n8k16>);
  bind_handler(t, Micro::mma_m16n8k8_bf16, &mma<&mma_m16n8k8_f32_bf16, 4, 2, 1, &C::mma_bf16>);
  bind_handler(t, Micro::mma_m16n8k16_bf16, &mma<&mma_m16n8k16_f32_bf16, 4, 4, 2, &C::mma_bf16>);
  bind_handler(t, Micro::mma_m16n8k4_tf32, &mma<&mma_m16n8k4_f32_tf32, 4, 2, 1, &C::mma_tf32>);
  bind_handler(t, Micro::mma_m16n8k8_tf32, &mma<&mma_m16n8k8_f32_tf32, 4, 4, 2, &C::mma_tf32>);
  bind_handler(t, Micro::mma_m16n8k16_fp8_f32, &mma_fp8<&mma_m16n8k16_f32_fp8, 4, 2, 1>);
  bind_handler(t, Micro::mma_m16n8k32_fp8_f32, &mma_fp8<&mma_m16n8k32_f32_fp8, 4, 4, 2>);
  bind_handler(t, Micro::mma_m16n8k16_fp8_f16, &mma_fp8<&mma_m16n8k16_f16_fp8, 2, 2, 1>);
  bind_handler(t, Micro::mma_m16n8k32_fp8_f16, &mma_fp8<&mma_m16n8k32_f16_fp8, 2, 4, 2>);
  bind_handler(t, Micro::mma_integer, &mma_integer);
  bind_handler(t, Micro::mma_f64, &mma_f64);
  bind_handler(t, Micro::ldmatrix, &ldmatrix);
  bind_handler(t, Micro::stmatrix, &stmatrix);
  bind_handler(t, Micro::movmatrix, &movmatrix);
}

}  // namespace tcd::emu::TCD_ISA_NAMESPACE
