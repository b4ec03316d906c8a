#include "tensor/ldmatrix.h"

#include <emmintrin.h>

namespace tcd::emu {
namespace {

__m128i row_of(const std::byte* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); }

void put(Row& out, int quad, __m128i v) {
  _mm_store_si128(reinterpret_cast<__m128i*>(out.lane + 4 * quad), v);
}

// 8 x 8 halves: three rounds of interleaving, as in any power-of-two transposition.
void transpose(const std::byte* const* rows, Row& out) {
  __m128i x[8], y[8];
  for (int i = 0; i < 8; ++i) x[i] = row_of(rows[i]);
  for (int i = 0; i < 4; ++i) {  // pairs of rows: (0,1) (2,3) (4,5) (6,7) as 32-bit words
    y[i] = _mm_unpacklo_epi16(x[2 * i], x[2 * i + 1]);      // columns 0-3
    y[i + 4] = _mm_unpackhi_epi16(x[2 * i], x[2 * i + 1]);  // columns 4-7
  }
  for (int half = 0; half < 2; ++half) {
    const __m128i* w = y + 4 * half;
    __m128i a = _mm_unpacklo_epi32(w[0], w[1]), b = _mm_unpacklo_epi32(w[2], w[3]);
    __m128i c = _mm_unpackhi_epi32(w[0], w[1]), d = _mm_unpackhi_epi32(w[2], w[3]);
    put(out, 4 * half, _mm_unpacklo_epi64(a, b));
    put(out, 4 * half + 1, _mm_unpackhi_epi64(a, b));
    put(out, 4 * half + 2, _mm_unpacklo_epi64(c, d));
    put(out, 4 * half + 3, _mm_unpackhi_epi64(c, d));
  }
}

}  // namespace

void ldmatrix(const std::byte* const* rows, int matrices, bool transposed, Row* out) {
  for (int m = 0; m < matrices; ++m) {
    if (transposed) {
      transpose(rows + 8 * m, out[m]);
    } else {
      for (int i = 0; i < 8; ++i) put(out[m], i, row_of(rows[8 * m + i]));
    }
  }
}

}  // namespace tcd::emu
