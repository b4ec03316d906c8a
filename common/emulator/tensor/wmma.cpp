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
  const int registers = half_d ? 2 : 4;  // of one 16 x 8 accumulator
  for (int i = 0; i < 2; ++i) {
    const Row* c_tile = c + i * registers;
    Row* d_tile = d + i * registers;
    switch (shape) {
      case WmmaShape::kM16N16K16:
        mma(numerics, a, b + 2 * i, c_tile, d_tile);
        break;
      case WmmaShape::kM32N8K16:
        mma(numerics, a + 4 * i, b, c_tile, d_tile);
        break;
      case WmmaShape::kM8N32K16:
        mma(numerics, b + 4 * i, a, c_tile, d_tile);
        break;
    }
  }
}

}  // namespace tcd::emu
