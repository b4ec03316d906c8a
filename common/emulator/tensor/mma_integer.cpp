// mma.sync on integers. Sums are exact: at most 64 products of 16 bits, and C.
#include <algorithm>
#include <cstdint>

#include "tensor/fragment.h"
#include "tensor/mma.h"

namespace tcd::emu {
namespace {

constexpr int kMaxK = 64;

// The elements of one 32-bit word, lowest bits first.
void unpack(uint32_t word, int bits, bool is_signed, int16_t* out) {
  const uint32_t mask = (1u << bits) - 1, sign = is_signed ? 1u << (bits - 1) : 0;
  for (int i = 0; i < 32 / bits; ++i) {
    uint32_t element = word >> bits * i & mask;
    out[i] = int16_t(int(element ^ sign) - int(sign));
  }
}

}  // namespace

void mma_s32(const IntegerMma& shape, const Row* a, const Row* b, const Row* c, Row* d) {
  const int per_word = 32 / shape.bits, row_blocks = shape.m / 8;
  const int k_blocks = shape.k / (4 * per_word);  // of four words, one for each lane of a group
  alignas(64) int16_t x[16][kMaxK], y[8][kMaxK];
  for (int block = 0; block < k_blocks; ++block) {
    for (int lane = 0; lane < kLanes; ++lane) {
      const int k = (4 * block + in_group(lane)) * per_word;
      for (int rows = 0; rows < row_blocks; ++rows) {
        unpack(a[block * row_blocks + rows].lane[lane], shape.bits, shape.a_signed,
               x[8 * rows + group_of(lane)] + k);
      }
      unpack(b[block].lane[lane], shape.bits, shape.b_signed, y[group_of(lane)] + k);
    }
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int e = 0; e < 2 * row_blocks; ++e) {
      const Cell at = c_cell(lane, e);
      int32_t products = 0;
      for (int k = 0; k < shape.k; ++k) products += int32_t{x[at.row][k]} * y[at.col][k];
      int64_t sum = int64_t{int32_t(c[e].lane[lane])} + products;
      if (shape.saturate) sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
      d[e].lane[lane] = uint32_t(sum);
    }
  }
}

}  // namespace tcd::emu
