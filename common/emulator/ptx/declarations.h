// Types, `.reg` and variable declarations with their initialisers (PTX ISA chapter 5).
#pragma once

#include <optional>
#include <string_view>

#include "ptx/ast.h"
#include "ptx/lexer.h"

namespace tcd::emu::ptx {

// Bounds on what a declaration may make us allocate; shared by the whole module, so that a small
// hostile text cannot ask for gigabytes.
struct ParseBudget {
  uint64_t registers = 1u << 20;
  uint64_t initial_bytes = 64u << 20;  // initialisers, the zeros between rows included
};

std::optional<Space> space_from(std::string_view directive);  // "shared" → kShared

// A type directive without its dot: "f16x2" → kB32. Texture, sampler and surface references count
// as 64-bit handles.
std::optional<Type> type_from(std::string_view directive);

// Parses everything behind the state space: `.align 16 .b8 x[1024], y = {…}` without the final ';'.
// The same for parameters, where `.ptr .global .align 4` may stand between type and name. Appends
// to `into`. `only_one` stops before a comma (parameter lists).
void parse_variables(Lexer& lexer, Space space, bool is_extern, bool only_one, ParseBudget& budget,
                     std::vector<Variable>& into);

// `.attribute(.managed)` and friends; `.attribute` is the current token.
void parse_attributes(Lexer& lexer, bool& is_managed);

}  // namespace tcd::emu::ptx
