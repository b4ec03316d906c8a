#include "tensor/wmma.h"

#include "tensor/mma.h"
#include "tensor/mma_kernels.h"

namespace tcd::emu {
namespace {

// A wmma accumulator is two of mma's: conversion goes by the same registers.
void widen(const Row half[4], Row out[8]) {
  for (int i = 0; i < 2; ++i) mma_kernels().widen_accumulator(half + 2 * i, out + 4 * i);
}
void narrow(const Row in[8], Row half[4]) {
  for (int i = 0; i < 2; ++i) mma_kernels().narrow_accumulator(in + 4 * i, half + 2 * i);
}

// One mma for each half of the accumulator, on fragments of na and nb registers; nc of each half.
template <typename Mma>
void both_halves(WmmaShape shape, int na, int nb, int nc, const Row* a, const Row* b, const Row* c,
                 Row* d, Mma mma) {
  for (int i = 0; i < 2; ++i) {
    const Row* c_tile = c + i * nc;
    Row* d_tile = d + i * nc;
    switch (shape) {
      case WmmaShape::kM32N8K16:
        mma(a + na * i, b, c_tile, d_tile);
        break;
      case WmmaShape::kM8N32K16:
        mma(b + na * i, a, c_tile, d_tile);
        break;
      default:
        mma(a, b + nb * i, c_tile, d_tile);
        break;
    }
  }
}

}  // namespace

void wmma_mma(const TensorNumerics& numerics, WmmaShape shape, bool half_d, bool half_c,
              const Row a[8], const Row b[8], const Row* c, Row* d) {
  if (half_c != half_d) {
    Row wide_c[8], wide_d[8];
    if (half_c) {
      widen(c, wide_c);
      c = wide_c;
    }
    wmma_mma(numerics, shape, false, false, a, b, c, half_d ? wide_d : d);
    if (half_d) narrow(wide_d, d);
    return;
  }
  const auto mma = half_d ? mma_m16n8k16_f16_f16 : mma_m16n8k16_f32_f16;
  both_halves(
      shape, 4, 2, half_d ? 2 : 4, a, b, c, d,
      [&](const Row* x, const Row* y, const Row* z, Row* out) { mma(numerics, x, y, z, out); });
}

void wmma_mma_bf16(const TensorNumerics& numerics, WmmaShape shape, const Row* a, const Row* b,
                   const Row c[8], Row d[8]) {
  both_halves(shape, 4, 2, 4, a, b, c, d, [&](const Row* x, const Row* y, const Row* z, Row* out) {
    mma_m16n8k16_f32_bf16(numerics, x, y, z, out);
  });
}

void wmma_mma_tf32(const TensorNumerics& numerics, const Row a[4], const Row b[4], const Row c[8],
                   Row d[8]) {
  both_halves(WmmaShape::kM16N16K8, 4, 2, 4, a, b, c, d,
              [&](const Row* x, const Row* y, const Row* z, Row* out) {
                mma_m16n8k4_f32_tf32(numerics, x, y, z, out);
                mma_m16n8k4_f32_tf32(numerics, x + 2, y + 1, out, out);
              });
}

void wmma_mma_s8(bool is_signed, bool saturate, WmmaShape shape, const Row* a, const Row* b,
                 const Row c[8], Row d[8]) {
  const IntegerMma one = {16, 16, 8, is_signed, is_signed, saturate};
  both_halves(shape, 2, 1, 4, a, b, c, d, [&](const Row* x, const Row* y, const Row* z, Row* out) {
    mma_s32(one, x, y, z, out);
  });
}

}  // namespace tcd::emu
