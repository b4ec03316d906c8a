#include "machine/decode/half.h"

#include "machine/half_flags.h"

namespace tcd::emu {
namespace {

uint32_t half_flags(Decoder& x, const TypeName& t) {
  Modifiers& m = x.mods();
  uint32_t flags = t.packed ? kHalfPacked : 0;
  if (t.kind == TypeName::Kind::kBfloat) {
    flags |= kHalfBfloat;
    x.need_compute(80, "bf16 arithmetic");
  }
  m.take("rn");
  if (m.take("ftz")) flags |= kHalfFtz;
  if (m.take("sat")) flags |= kHalfSat;
  if (m.take("relu")) flags |= kHalfRelu;
  return flags;
}

// 16-bit registers, or a 32-bit one for a pair.
void emit_half(Decoder& x, Micro micro, const TypeName& t, size_t sources, uint32_t flags) {
  const uint32_t d = x.destination(x.operand(0), 4);
  const uint32_t a = x.source(x.operand(1), t);
  const uint32_t b = sources > 1 ? x.source(x.operand(2), t) : a;
  const uint32_t c = sources > 2 ? x.source(x.operand(3), t) : a;
  x.emit(micro, d, a, b, c).flags = flags;
}

}  // namespace

void decode_half_arith(Decoder& x, const TypeName& t, uint32_t operation) {
  const uint32_t flags = half_flags(x, t);
  emit_half(x, Micro::arith_half, t, 2, flags | operation << kHalfOpShift);
}

void decode_half_fma(Decoder& x, const TypeName& t) {
  if (x.mods().take("oob")) x.unsupported(".oob");
  emit_half(x, Micro::fma_half, t, 3, half_flags(x, t));
}

void decode_half_minmax(Decoder& x, const TypeName& t, bool greatest) {
  x.need_compute(80, "min and max of half precision");
  uint32_t flags = half_flags(x, t);
  if (x.mods().take("NaN")) flags |= kHalfNan;
  if (x.mods().take("xorsign")) {
    x.mods().take("abs");
    flags |= kHalfXorSign;
  }
  if (x.operands() != 3) x.unsupported("three inputs");
  emit_half(x, Micro::minmax_half, t, 2, flags | (greatest ? 1u : 0u) << kHalfOpShift);
}

void decode_half_unary(Decoder& x, const TypeName& t, uint32_t operation) {
  x.mods().take("approx");
  const uint32_t flags = half_flags(x, t);
  emit_half(x, Micro::unary_half, t, 1, flags | operation << kHalfOpShift);
}

}  // namespace tcd::emu
