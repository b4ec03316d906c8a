// Constant expressions (PTX ISA 4.5): 64-bit integers with C's operators; floats as literals only.
#pragma once

#include <cstdint>

#include "ptx/ast.h"
#include "ptx/lexer.h"

namespace tcd::emu::ptx {

struct Constant {
  uint64_t bits = 0;  // integers: two's complement
  Operand::Literal literal = Operand::Literal::kInteger;
  bool is_unsigned = false;  // .u64: decides / % >> and comparisons
  bool is_float() const { return literal != Operand::Literal::kInteger; }
};

// True when the token can only begin a constant: a number, a sign, '(' or '~'.
bool begins_constant(const Token& token);

// One number token: 16, 0x1FU, 0f3F800000, 1.5e-3.
Constant parse_literal(const Token& token);

// The whole expression, `?:` included. Throws ParseError (also for division by zero).
Constant parse_constant(Lexer& lexer);

// Sums and products only, so that the '>' of `%r<10>` and the '|' of `p|q` end the expression.
Constant parse_sum(Lexer& lexer);

// A non-negative integer of at most `limit`; `what` names it in the message.
uint64_t parse_count(Lexer& lexer, uint64_t limit, std::string_view what);

}  // namespace tcd::emu::ptx
