// Half-precision forms of opcodes that also have wider ones.
#pragma once

#include "machine/decode/decoder.h"

namespace tcd::emu {

void decode_half_arith(Decoder& x, const TypeName& type, uint32_t operation);  // add sub mul
void decode_half_fma(Decoder& x, const TypeName& type);
void decode_half_minmax(Decoder& x, const TypeName& type, bool greatest);
void decode_half_unary(Decoder& x, const TypeName& type, uint32_t operation);  // neg abs ex2 tanh
void decode_carry(Decoder& x);

}  // namespace tcd::emu
