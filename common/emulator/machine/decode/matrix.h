// Shared by mma and wmma.
#pragma once

#include "machine/decode/decoder.h"

namespace tcd::emu {

// Appends the rows of a register list of exactly `count`; DecodeError otherwise.
void append_rows(Decoder& x, const ptx::Operand& o, size_t count, bool is_destination,
                 std::vector<uint32_t>& rows);

}  // namespace tcd::emu
