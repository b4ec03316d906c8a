#include "gates/integer_kernels.h"

#include <cstring>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define TCD_HAVE_X86_KERNELS 1
#endif

namespace tcd::integer_kernels {
namespace {

void multiply_portable(int pairs, const std::int16_t* a, const std::int16_t* b, std::int32_t* out) {
  for (int i = 0; i < kMr * kNr; ++i) out[i] = 0;
  for (int pair = 0; pair < pairs; ++pair, a += kMr * 2, b += kNr * 2) {
    for (int i = 0; i < kMr; ++i) {
      const std::int32_t a0 = a[i * 2];
      const std::int32_t a1 = a[i * 2 + 1];
      for (int j = 0; j < kNr; ++j) out[i * kNr + j] += a0 * b[j * 2] + a1 * b[j * 2 + 1];
    }
  }
}

#ifdef TCD_HAVE_X86_KERNELS
// Compiled for their instruction set whatever the build's -march, and only called where cpuid has
// it.
std::int32_t pair_at(const std::int16_t* from) {
  std::int32_t both;
  std::memcpy(&both, from, sizeof both);
  return both;
}

__attribute__((target("avx2"))) void multiply_avx2(int pairs, const std::int16_t* a,
                                                   const std::int16_t* b, std::int32_t* out) {
  for (int part = 0; part < kNr; part += 16) {  // 16 columns at a time: 12 sums in 16 registers
    __m256i sum[kMr][2];
    for (auto& row : sum) row[0] = row[1] = _mm256_setzero_si256();
    for (int pair = 0; pair < pairs; ++pair) {
      const auto* from = reinterpret_cast<const __m256i*>(b + (pair * kNr + part) * 2);
      const __m256i b0 = _mm256_loadu_si256(from);
      const __m256i b1 = _mm256_loadu_si256(from + 1);
      for (int i = 0; i < kMr; ++i) {
        const __m256i ai = _mm256_set1_epi32(pair_at(a + (pair * kMr + i) * 2));
        sum[i][0] = _mm256_add_epi32(sum[i][0], _mm256_madd_epi16(ai, b0));
        sum[i][1] = _mm256_add_epi32(sum[i][1], _mm256_madd_epi16(ai, b1));
      }
    }
    for (int i = 0; i < kMr; ++i) {
      auto* to = reinterpret_cast<__m256i*>(out + i * kNr + part);
      _mm256_storeu_si256(to, sum[i][0]);
      _mm256_storeu_si256(to + 1, sum[i][1]);
    }
  }
}

__attribute__((target("avx512f,avx512vnni"))) void multiply_avx512(int pairs, const std::int16_t* a,
                                                                   const std::int16_t* b,
                                                                   std::int32_t* out) {
  __m512i sum[kMr][2];
  for (auto& row : sum) row[0] = row[1] = _mm512_setzero_si512();
  for (int pair = 0; pair < pairs; ++pair, a += kMr * 2, b += kNr * 2) {
    const __m512i b0 = _mm512_loadu_si512(b);
    const __m512i b1 = _mm512_loadu_si512(b + kNr);
    for (int i = 0; i < kMr; ++i) {
      const __m512i ai = _mm512_set1_epi32(pair_at(a + i * 2));
      sum[i][0] = _mm512_dpwssd_epi32(sum[i][0], ai, b0);
      sum[i][1] = _mm512_dpwssd_epi32(sum[i][1], ai, b1);
    }
  }
  for (int i = 0; i < kMr; ++i) {
    _mm512_storeu_si512(out + i * kNr, sum[i][0]);
    _mm512_storeu_si512(out + i * kNr + 16, sum[i][1]);
  }
}
#endif

std::vector<Kernel> detect() {
  std::vector<Kernel> kernels;
#ifdef TCD_HAVE_X86_KERNELS
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vnni")) {
    kernels.push_back({"avx512-vnni", multiply_avx512});
  }
  if (__builtin_cpu_supports("avx2")) kernels.push_back({"avx2", multiply_avx2});
#endif
  kernels.push_back({"portable", multiply_portable});
  return kernels;
}

}  // namespace

const std::vector<Kernel>& available() {
  static const std::vector<Kernel> kernels = detect();
  return kernels;
}

}  // namespace tcd::integer_kernels
