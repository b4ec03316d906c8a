// The values behind `=` of a variable: numbers and addresses into raw bytes and relocations.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/ast.h"
#include "ptx/declarations.h"
#include "ptx/lexer.h"

namespace tcd::emu::ptx {

constexpr size_t kMostDimensions = 8;

struct ArrayShape {
  unsigned element_bytes = 4;
  std::vector<uint64_t> extents;  // outermost first; empty: a scalar
  bool is_open = false;           // extents[0] comes from the initialiser
};

// `=` was taken. Fills variable.init and variable.relocations, little endian. Returns the number of
// elements along the outermost dimension (1 for a scalar).
uint64_t parse_initialiser(Lexer& lexer, const ArrayShape& shape, ParseBudget& budget,
                           Variable& variable);

}  // namespace tcd::emu::ptx
