// mma.sync with BF16, TF32 and FP8 inputs: decoded to FP32, then the same arithmetic as FP16.
#include <algorithm>
#include <bit>

#include "tensor/fp8.h"
#include "tensor/fragment.h"
#include "tensor/mma.h"
#include "tensor/mma_kernels.h"
#include "tensor/slow_dot.h"

namespace tcd::emu {
namespace {

// Values in fragment order, [register * 2 + half][lane]; at most 8 k a pair of registers of A.
struct Values {
  float a[8][kLanes], b[4][kLanes];
  int steps;  // of 8 k: 1 or 2
};

constexpr int kBf16Subnormal = -126;  // FP32's, so tiles with them go the slow way anyway

// Element (row, k) of A and (k, n) of B; k = 8 * step + 2 * t + half.
float a_value(const Values& v, int row, int k) {
  int at = 2 * (row / 8 + 2 * (k / 8)) + k % 2;
  return v.a[at][4 * (row % 8) + k % 8 / 2];
}
float b_value(const Values& v, int k, int n) { return v.b[2 * (k / 8) + k % 2][4 * n + k % 8 / 2]; }

void multiply_slowly(const Values& v, int chunk, Alignment alignment, const Row* c, Row* d) {
  const int k_total = 8 * v.steps;
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int e = 0; e < 4; ++e) {
      Cell at = c_cell(lane, e);
      float x[16], y[16];
      for (int k = 0; k < k_total; ++k) {
        x[k] = a_value(v, at.row, k);
        y[k] = b_value(v, k, at.col);
      }
      float sum = std::bit_cast<float>(c[e].lane[lane]);
      for (int k = 0; k < k_total; k += chunk) {
        sum = slow_dot(x + k, y + k, std::min(chunk, k_total - k), sum, alignment);
      }
      d[e].lane[lane] = std::bit_cast<uint32_t>(sum);
    }
  }
}

void multiply_f32(const TensorNumerics& numerics, const Values& v, const Row* c, Row* d) {
  const MmaKernels& kernels = mma_kernels();
  PreparedA a;
  PreparedB b;
  kernels.prepare_a_floats(v.a, 2 * v.steps, kBf16Subnormal, a);
  kernels.prepare_b_floats(v.b, v.steps, kBf16Subnormal, b);
  const int chunk = numerics.chunk_k16, bits = numerics.fraction_bits;
  if (!a.in_range || !b.in_range) {
    Row addend[4];  // d may alias c
    std::copy(c, c + 4, addend);
    multiply_slowly(v, chunk, {bits, kLeastNormalF32 - numerics.alignment_floor}, addend, d);
  } else if (!kernels.multiply_proven_f32(chunk, a, b, c, d)) {
    kernels.multiply_general_f32(chunk, bits, a, b, c, d);
  }
}

void split_bf16(const Row& row, float* low, float* high) {
  for (int lane = 0; lane < kLanes; ++lane) {
    low[lane] = std::bit_cast<float>(row.lane[lane] << 16);
    high[lane] = std::bit_cast<float>(row.lane[lane] & 0xffff0000u);
  }
}

void mma_bf16(const TensorNumerics& numerics, int steps, const Row* a, const Row* b, const Row* c,
              Row* d) {
  Values v;
  v.steps = steps;
  for (int r = 0; r < 2 * steps; ++r) split_bf16(a[r], v.a[2 * r], v.a[2 * r + 1]);
  for (int r = 0; r < steps; ++r) split_bf16(b[r], v.b[2 * r], v.b[2 * r + 1]);
  multiply_f32(numerics, v, c, d);
}

// The 13 low bits of a TF32 operand do not count (truncated, not rounded).
void tf32_values(const Row& row, float* out) {
  for (int lane = 0; lane < kLanes; ++lane) {
    out[lane] = std::bit_cast<float>(row.lane[lane] & 0xffffe000u);
  }
}

// Four k of TF32: one half of a step, the other half zero. Zeros do not take part.
void tf32_step(const TensorNumerics& numerics, const Row* a, const Row* b, const Row* c, Row* d) {
  Values v{};
  v.steps = 1;
  tf32_values(a[0], v.a[0]);
  tf32_values(a[1], v.a[2]);
  tf32_values(b[0], v.b[0]);
  multiply_f32(numerics, v, c, d);
}

// --- FP8 -------------------------------------------------------------------------------------

void round_to_e8m13(Row* d) {
  for (int r = 0; r < 4; ++r) {
    for (uint32_t& x : d[r].lane) {
      if ((x & 0x7f800000) != 0x7f800000) x &= 0xfffffc00u;
    }
  }
}

// sm_89's own FP8 instruction: 16 products a step, 13 fraction bits, FP32 results of 13 too.
void fp8_native(Fp8 a_type, Fp8 b_type, bool half, int registers, const Row* a, const Row* b,
                const Row* c, Row* d) {
  constexpr int kBits = 13;
  const MmaKernels& kernels = mma_kernels();
  // Words of four k; registers 0, 1 (rows 0-7, 8-15) are k 0-15 and 2, 3 are k 16-31.
  for (int step = 0; step < registers / 2; ++step) {
    // 16 k as two steps of 8: bytes 0, 1 and bytes 2, 3. The order within a sum is of no matter.
    float x[8][kLanes], y[4][kLanes];
    for (int byte = 0; byte < 4; ++byte) {
      for (int r = 0; r < 2; ++r) {
        fp8_values(a_type, a[2 * step + r], byte, x[2 * (r + 2 * (byte / 2)) + byte % 2]);
      }
      fp8_values(b_type, b[step], byte, y[byte]);
    }
    PreparedA pa;
    PreparedB pb;
    kernels.prepare_a_floats(x, 4, fp8_least_exponent(a_type), pa);
    kernels.prepare_b_floats(y, 2, fp8_least_exponent(b_type), pb);
    const Row* addend = step == 0 ? c : d;
    if (half) {
      kernels.multiply_general_f16(16, kBits, pa, pb, addend, d);
    } else {
      kernels.multiply_general_f32(16, kBits, pa, pb, addend, d);
      round_to_e8m13(d);
    }
  }
}

// sm_90 has no such instruction for mma.sync: ptxas unpacks to FP16, multiplies bytes 0, 1 and then
// bytes 2, 3 of every word with a zero accumulator, and adds C with an ordinary addition.
void fp8_through_f16(const TensorNumerics& numerics, Fp8 a_type, Fp8 b_type, bool half,
                     int registers, const Row* a, const Row* b, const Row* c, Row* d) {
  Row sum[4] = {};
  for (int pair = 0; pair < 2; ++pair) {
    Row x[4], y[2];
    for (int r = 0; r < registers; ++r) fp8_to_f16(a_type, a[r], pair, x[r]);
    for (int r = 0; r < registers / 2; ++r) fp8_to_f16(b_type, b[r], pair, y[r]);
    const bool k16 = registers == 4;
    if (half) {
      (k16 ? mma_m16n8k16_f16_f16 : mma_m16n8k8_f16_f16)(numerics, x, y, sum, sum);
    } else {
      (k16 ? mma_m16n8k16_f32_f16 : mma_m16n8k8_f32_f16)(numerics, x, y, sum, sum);
    }
  }
  Row addend[4];
  if (half) {
    Row wide[4];
    mma_kernels().widen_accumulator(c, addend);
    mma_kernels().widen_accumulator(sum, wide);
    std::copy(wide, wide + 4, sum);
  } else {
    std::copy(c, c + 4, addend);
  }
  for (int r = 0; r < 4; ++r) {
    for (int lane = 0; lane < kLanes; ++lane) {
      float value =
          std::bit_cast<float>(addend[r].lane[lane]) + std::bit_cast<float>(sum[r].lane[lane]);
      sum[r].lane[lane] = value != value ? 0x7fffffff : std::bit_cast<uint32_t>(value);
    }
  }
  // FP16 sums: FP32 has more than twice its bits and two, so rounding twice is rounding once.
  if (half)
    mma_kernels().narrow_accumulator(sum, d);
  else
    std::copy(sum, sum + 4, d);
}

void mma_fp8(const TensorNumerics& numerics, Fp8 a_type, Fp8 b_type, bool half, int registers,
             const Row* a, const Row* b, const Row* c, Row* d) {
  // The chips that sum 16 products at F = 25 are those that go through FP16.
  if (numerics.chunk_k16 == 16) {
    fp8_through_f16(numerics, a_type, b_type, half, registers, a, b, c, d);
  } else {
    fp8_native(a_type, b_type, half, registers, a, b, c, d);
  }
}

}  // namespace

void mma_m16n8k8_f32_bf16(const TensorNumerics& numerics, const Row a[2], const Row b[1],
                          const Row c[4], Row d[4]) {
  mma_bf16(numerics, 1, a, b, c, d);
}
void mma_m16n8k16_f32_bf16(const TensorNumerics& numerics, const Row a[4], const Row b[2],
                           const Row c[4], Row d[4]) {
  mma_bf16(numerics, 2, a, b, c, d);
}
void mma_m16n8k4_f32_tf32(const TensorNumerics& numerics, const Row a[2], const Row b[1],
                          const Row c[4], Row d[4]) {
  tf32_step(numerics, a, b, c, d);
}
void mma_m16n8k8_f32_tf32(const TensorNumerics& numerics, const Row a[4], const Row b[2],
                          const Row c[4], Row d[4]) {
  if (numerics.chunk_k16 == 8) {  // half as many products a step as FP16: k 0-3, then 4-7
    tf32_step(numerics, a, b, c, d);
    tf32_step(numerics, a + 2, b + 1, d, d);
    return;
  }
  Values v;
  v.steps = 1;
  for (int half = 0; half < 2; ++half) {
    tf32_values(a[2 * half], v.a[half]);
    tf32_values(a[2 * half + 1], v.a[2 + half]);
    tf32_values(b[half], v.b[half]);
  }
  multiply_f32(numerics, v, c, d);
}
void mma_m16n8k16_f32_fp8(const TensorNumerics& numerics, Fp8 a_type, Fp8 b_type, const Row a[2],
                          const Row b[1], const Row c[4], Row d[4]) {
  mma_fp8(numerics, a_type, b_type, false, 2, a, b, c, d);
}
void mma_m16n8k32_f32_fp8(const TensorNumerics& numerics, Fp8 a_type, Fp8 b_type, const Row a[4],
                          const Row b[2], const Row c[4], Row d[4]) {
  mma_fp8(numerics, a_type, b_type, false, 4, a, b, c, d);
}
void mma_m16n8k16_f16_fp8(const TensorNumerics& numerics, Fp8 a_type, Fp8 b_type, const Row a[2],
                          const Row b[1], const Row c[2], Row d[2]) {
  mma_fp8(numerics, a_type, b_type, true, 2, a, b, c, d);
}
void mma_m16n8k32_f16_fp8(const TensorNumerics& numerics, Fp8 a_type, Fp8 b_type, const Row a[4],
                          const Row b[2], const Row c[2], Row d[2]) {
  mma_fp8(numerics, a_type, b_type, true, 4, a, b, c, d);
}

}  // namespace tcd::emu
