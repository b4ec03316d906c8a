#include "tensor/tests/card/tile_ops.h"

#include "tensor/mma.h"
#include "tensor/wmma.h"

namespace tcd::emu::card {
namespace {

template <auto function>
void plain(const TensorNumerics& chip, const Row* a, const Row* b, const Row* c, Row* d) {
  function(chip, a, b, c, d);
}
template <auto function, Fp8 a_type, Fp8 b_type>
void fp8(const TensorNumerics& chip, const Row* a, const Row* b, const Row* c, Row* d) {
  function(chip, a_type, b_type, a, b, c, d);
}
constexpr bool signedS = true, signedU = false;
template <int m, int k, int bits, bool a_signed, bool b_signed, bool saturate>
void integer(const TensorNumerics&, const Row* a, const Row* b, const Row* c, Row* d) {
  mma_s32({m, k, bits, a_signed, b_signed, saturate}, a, b, c, d);
}
template <WmmaShape shape, bool half_d, bool half_c>
void wmma(const TensorNumerics& chip, const Row* a, const Row* b, const Row* c, Row* d) {
  wmma_mma(chip, shape, half_d, half_c, a, b, c, d);
}

template <WmmaShape shape>
void wmma_bf16(const TensorNumerics& chip, const Row* a, const Row* b, const Row* c, Row* d) {
  wmma_mma_bf16(chip, shape, a, b, c, d);
}
template <WmmaShape shape, bool is_signed, bool saturate>
void wmma_bytes(const TensorNumerics&, const Row* a, const Row* b, const Row* c, Row* d) {
  wmma_mma_s8(is_signed, saturate, shape, a, b, c, d);
}

using enum Format;
#define TCD_TILE_OP(d, a, b, c, since, text, a_format, b_format, d_format, c_format, emulate) \
  {d, a, b, c, since, text, a_format, b_format, d_format, c_format, emulate},
constexpr TileOp kOps[] = {
#include "tensor/tests/card/tile_ops.def"
};
#undef TCD_TILE_OP

}  // namespace

std::span<const TileOp> tile_ops() { return kOps; }

std::string TileOp::name() const {
  std::string out(text);
  auto drop = [&](std::string_view part) {
    if (size_t at = out.find(part); at != std::string::npos) out.erase(at, part.size());
  };
  drop("mma.sync.aligned.");  // leaves wmma's "w"
  if (out[0] == 'w') return "wmma." + out.substr(1);
  drop("row.col.");
  return out;
}

}  // namespace tcd::emu::card
