// One operand of an instruction, with its names resolved.
#pragma once

#include "ptx/ast.h"
#include "ptx/lexer.h"
#include "ptx/scopes.h"

namespace tcd::emu::ptx {

class OperandParser {
 public:
  // `module_symbols`: functions and module-scope variables declared so far.
  OperandParser(Lexer& lexer, const Scopes& scopes, const SymbolNames& module_symbols)
      : lexer_(lexer), scopes_(scopes), module_symbols_(module_symbols) {}

  Operand parse();            // anything an instruction may take
  Operand parse_call_list();  // at `(`: results or arguments of a call
  // A register or symbol under that name; throws ParseError when nothing is declared so.
  Operand parse_name();

 private:
  Operand parse_scalar();  // no vector, no address
  Operand parse_braces();
  Operand parse_brackets();
  uint64_t parse_offset();

  Lexer& lexer_;
  const Scopes& scopes_;
  const SymbolNames& module_symbols_;
};

}  // namespace tcd::emu::ptx
