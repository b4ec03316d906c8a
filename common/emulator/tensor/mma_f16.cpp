// mma.sync with FP16 inputs: decode (or recognise), try the proof, else do what the chip does.
#include <cassert>

#include "tensor/fragment_cache.h"
#include "tensor/mma.h"
#include "tensor/mma_kernels.h"

namespace tcd::emu {
namespace {

void multiply(const MmaKernels& kernels, const TensorNumerics& numerics, bool half, PreparedA& a,
              PreparedB& b, const Row* c, Row* d) {
  assert(numerics.fraction_bits >= kMinFractionBits && numerics.fraction_bits <= kMaxFractionBits);
  const int chunk = numerics.chunk_k16, bits = numerics.fraction_bits;
  if (half) {
    if (kernels.multiply_proven_f16(chunk, a, b, c, d)) {
      ++proven_multiplications();
      return;
    }
    kernels.multiply_general_f16(chunk, {bits, kLeastNormalF16 - numerics.alignment_floor}, a, b, c,
                                 d);
  } else {
    if (kernels.multiply_proven_f32(chunk, a, b, c, d)) {
      ++proven_multiplications();
      return;
    }
    kernels.multiply_general_f32(chunk, bits, a, b, c, d);
  }
}

void mma(const TensorNumerics& numerics, bool half, int k, const Row* a, const Row* b, const Row* c,
         Row* d) {
  // One pair a thread: 36 KiB, of which the proven path touches two thirds.
  thread_local ACache a_cache;
  thread_local BCache b_cache;
  const MmaKernels& kernels = mma_kernels();
  PreparedA& prepared_a = a_cache.get(a, k / 4, kernels.prepare_a);
  PreparedB& prepared_b = b_cache.get(b, k / 8, kernels.prepare_b);
  multiply(kernels, numerics, half, prepared_a, prepared_b, c, d);
}

}  // namespace

uint64_t& proven_multiplications() {
  thread_local uint64_t count = 0;
  return count;
}

void mma_m16n8k8_f32_f16(const TensorNumerics& numerics, const Row a[2], const Row b[1],
                         const Row c[4], Row d[4]) {
  mma(numerics, false, 8, a, b, c, d);
}
void mma_m16n8k16_f32_f16(const TensorNumerics& numerics, const Row a[4], const Row b[2],
                          const Row c[4], Row d[4]) {
  mma(numerics, false, 16, a, b, c, d);
}
void mma_m16n8k8_f16_f16(const TensorNumerics& numerics, const Row a[2], const Row b[1],
                         const Row c[2], Row d[2]) {
  mma(numerics, true, 8, a, b, c, d);
}
void mma_m16n8k16_f16_f16(const TensorNumerics& numerics, const Row a[4], const Row b[2],
                          const Row c[2], Row d[2]) {
  mma(numerics, true, 16, a, b, c, d);
}

}  // namespace tcd::emu
