// mma.sync with FP16 inputs: decode (or recognise), try the proof, else do what the chip does.
#include <cassert>
#include <utility>

#include "tensor/fragment_cache.h"
#include "tensor/mma.h"
#include "tensor/mma_kernels.h"

namespace tcd::emu {
namespace {

// A pointer in static thread storage costs one instruction to read; the caches themselves there
// would cost a call each time, and might not fit when a program loads this library late.
__attribute__((tls_model("initial-exec"))) thread_local FragmentCaches* ready = nullptr;

[[gnu::noinline]] FragmentCaches& make_caches() {
  // Exit handlers may launch after this has freed them: they get new ones.
  struct Freer {
    ~Freer() { delete std::exchange(ready, nullptr); }
  };
  thread_local const Freer freer;
  static_cast<void>(&freer);
  ready = new FragmentCaches;
  return *ready;
}

FragmentCaches& caches() { return __builtin_expect(ready != nullptr, 1) ? *ready : make_caches(); }

void mma(const TensorNumerics& numerics, bool half, int steps, const Row* a, const Row* b,
         const Row* c, Row* d) {
  assert(numerics.fraction_bits >= kMinFractionBits && numerics.fraction_bits <= kMaxFractionBits);
  const MmaKernels& kernels = mma_kernels();
  if (half) {
    const Alignment alignment{numerics.fraction_bits, kLeastNormalF16 - numerics.alignment_floor};
    kernels.mma_f16_f16[steps - 1](caches(), numerics.chunk_k16, alignment, a, b, c, d);
  } else {
    kernels.mma_f32_f16[steps - 1](caches(), numerics.chunk_k16, numerics.fraction_bits, a, b, c,
                                   d);
  }
}

}  // namespace

uint64_t& proven_multiplications() { return caches().proven; }

void mma_m16n8k8_f32_f16(const TensorNumerics& numerics, const Row a[2], const Row b[1],
                         const Row c[4], Row d[4]) {
  mma(numerics, false, 1, a, b, c, d);
}
void mma_m16n8k16_f32_f16(const TensorNumerics& numerics, const Row a[4], const Row b[2],
                          const Row c[4], Row d[4]) {
  mma(numerics, false, 2, a, b, c, d);
}
void mma_m16n8k8_f16_f16(const TensorNumerics& numerics, const Row a[2], const Row b[1],
                         const Row c[2], Row d[2]) {
  mma(numerics, true, 1, a, b, c, d);
}
void mma_m16n8k16_f16_f16(const TensorNumerics& numerics, const Row a[4], const Row b[2],
                          const Row c[2], Row d[2]) {
  mma(numerics, true, 2, a, b, c, d);
}

}  // namespace tcd::emu
