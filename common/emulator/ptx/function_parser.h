// `.entry` and `.func`: header, parameters and body.
#pragma once

#include "ptx/ast.h"
#include "ptx/declarations.h"
#include "ptx/lexer.h"
#include "ptx/operands.h"
#include "ptx/scopes.h"
#include "ptx/source_lines.h"

namespace tcd::emu::ptx {

class FunctionParser {
 public:
  // `symbols` gains the function's name before its body is read, because it may call itself.
  FunctionParser(Lexer& lexer, SymbolNames& symbols, ParseBudget& budget)
      : lexer_(lexer), symbols_(symbols), budget_(budget), operands_(lexer, scopes_, symbols) {}

  // `.entry` or `.func` was taken.
  Function parse(bool is_entry);

 private:
  void parse_parameters(std::vector<Variable>& into);
  void declare_parameters(const std::vector<Variable>& parameters);
  void parse_header_directives();
  void parse_body();
  void check_branch_tables() const;
  void parse_directive();
  void parse_registers();
  void declare_register_range(const Token& prefix, Type type, uint64_t count);
  void parse_local_variables(Space space, bool is_extern);
  void parse_label(const Token& label);
  void parse_branch_targets(const Token& label);
  void parse_call_prototype();
  void parse_instruction(const Token& opcode, int guard, bool guard_negated);
  void parse_guarded();
  void parse_operands(Instruction& instruction);
  void parse_branch_label(Instruction& instruction, bool is_table);
  void parse_call_operands(Instruction& instruction);
  void add_name(std::string_view name, int line, Name meaning);
  int new_register(std::string name, Type type);

  Lexer& lexer_;
  SymbolNames& symbols_;
  ParseBudget& budget_;
  Scopes scopes_;
  OperandParser operands_;
  SourceLines lines_;
  Function function_;
  // How often each name was declared as a variable, whatever the block. A kernel with a thousand
  // calls declares `param0` a thousand times.
  std::unordered_map<std::string, int> declarations_of_;
};

}  // namespace tcd::emu::ptx
