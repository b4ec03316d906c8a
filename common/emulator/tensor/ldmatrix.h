// ldmatrix: eight rows of 16 bytes from memory to one register of every lane.
//
// Source: PTX ISA 9.7.14.5, "Warp-level matrix load instruction: ldmatrix", .m8n8.b16. Pure data
// movement: the caller has checked the 8 * matrices addresses (lanes 0-7 name the rows of matrix 0,
// 8-15 of matrix 1, ...) and counts the wavefronts.
#pragma once

#include <cstddef>

#include "tensor/row.h"

namespace tcd::emu {

// rows: 8 * matrices pointers, 16 readable bytes each, no alignment asked. matrices: 1, 2 or 4.
// out[i]: lane l holds row l / 4, elements 2 * (l % 4) and the next; with transposed, row and
// element change places: elements (2 * (l % 4), l / 4) and (2 * (l % 4) + 1, l / 4).
void ldmatrix(const std::byte* const* rows, int matrices, bool transposed, Row* out);

}  // namespace tcd::emu
