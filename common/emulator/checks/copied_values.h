// Values that a kernel loads and only stores again: a copy. Padding of a structure has no value,
// and copying it is no mistake; computing with it would be.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ptx/ast.h"

namespace tcd::emu {

// Is what this load brings stored again and nothing else?
bool is_only_copied(const ptx::Function& function, size_t load);

// Padding lies beside a member: in the same so many bytes, of which some must be written, in a load
// of `bytes`. A single byte stands for eight, since a copy may go byte by byte.
constexpr uint32_t padding_block(uint32_t bytes) { return bytes == 2 || bytes == 4 ? bytes : 8; }

}  // namespace tcd::emu
