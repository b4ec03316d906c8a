// Shared by mma and wmma.
#pragma once

#include "machine/decode/decoder.h"

namespace tcd::emu {

// Appends the rows of a list of exactly `count` registers of `bytes`; DecodeError otherwise.
void append_rows(Decoder& x, const ptx::Operand& o, size_t count, bool is_destination,
                 std::vector<uint32_t>& rows, unsigned bytes = 4);
// mma.sync and wmma.mma of doubles: A, B, C and D as mma has them.
void decode_mma_double(Decoder& x, int m, int k);
// wmma.mma.m8n8k32, which is mma's.
void decode_mma_nibbles(Decoder& x, bool is_signed, bool saturates);

}  // namespace tcd::emu
