// Statements that become instructions, and the labels they jump to.
#include "ptx/function_parser.h"
#include "ptx/parser.h"

namespace tcd::emu::ptx {

void FunctionParser::parse_label(const Token& label) {
  if (lexer_.accept_dot("branchtargets")) {
    parse_branch_targets(label);
  } else if (lexer_.accept_dot("callprototype")) {
    parse_call_prototype();
    add_name(label.text, label.line, {Name::Kind::kPrototype, -1, std::string(label.text)});
  } else if (lexer_.accept_dot("calltargets")) {
    do {
      operands_.parse_name();
    } while (lexer_.accept(','));
    lexer_.expect(';', "after .calltargets");
    add_name(label.text, label.line, {Name::Kind::kPrototype, -1, std::string(label.text)});
  } else if (!scopes_.add_label(label.text, int(function_.body.size()))) {
    throw ParseError(label.line, "label " + describe(label) + " is defined twice in one block");
  }
}

void FunctionParser::parse_branch_targets(const Token& label) {
  const int table = int(function_.branch_tables.size());
  if (!scopes_.add_table(label.text, table)) {
    throw ParseError(label.line, "table " + describe(label) + " is defined twice in one block");
  }
  function_.branch_table_names.emplace_back(label.text);
  std::vector<int>& targets = function_.branch_tables.emplace_back();
  do {
    const Token target = lexer_.expect_kind(TokenKind::kWord, "a label in .branchtargets");
    PendingLabel pending;
    pending.label = target.text;
    pending.line = target.line;
    pending.table = table;
    pending.slot = int(targets.size());
    targets.push_back(-1);
    scopes_.add_pending(pending);
  } while (lexer_.accept(','));
  lexer_.expect(';', "after .branchtargets");
}

// The callee brings its own signature, so the prototype is read for its syntax only.
void FunctionParser::parse_call_prototype() {
  std::vector<Variable> ignored;
  if (lexer_.at('(')) parse_parameters(ignored);
  lexer_.expect_kind(TokenKind::kWord, "'_' in .callprototype");
  if (lexer_.at('(')) parse_parameters(ignored);
  while (lexer_.peek().kind == TokenKind::kDotWord) {  // .noreturn, .abi_preserve 4
    lexer_.take();
    if (lexer_.peek().kind == TokenKind::kNumber) lexer_.take();
  }
  lexer_.expect(';', "after .callprototype");
}

void FunctionParser::parse_guarded() {
  lexer_.expect('@', "before a guard");
  const bool is_negated = lexer_.accept('!');
  const Token name = lexer_.peek();
  const Operand guard = operands_.parse_name();
  if (guard.kind != Operand::Kind::kRegister ||
      function_.registers[size_t(guard.reg)].type != Type::kPred) {
    throw ParseError(name.line, "guard " + describe(name) + " is no predicate register");
  }
  const Token opcode = lexer_.expect_kind(TokenKind::kWord, "an instruction after the guard");
  parse_instruction(opcode, guard.reg, is_negated);
}

void FunctionParser::parse_instruction(const Token& opcode, int guard, bool guard_negated) {
  Instruction& instruction = function_.body.emplace_back();
  instruction.opcode = opcode.text;
  instruction.guard = guard;
  instruction.guard_negated = guard_negated;
  instruction.location = lines_.current();
  instruction.ptx_line = opcode.line;
  size_t modifiers = 0;
  for (Lexer ahead = lexer_; ahead.peek().kind == TokenKind::kDotWord; ahead.take()) ++modifiers;
  instruction.modifiers.reserve(modifiers);
  while (modifiers-- > 0) instruction.modifiers.emplace_back(lexer_.take().text);
  parse_operands(instruction);
  lexer_.expect(';', "after the operands of " + instruction.opcode);
}

void FunctionParser::parse_operands(Instruction& instruction) {
  if (lexer_.at(';')) return;
  if (instruction.opcode == "bra") {
    parse_branch_label(instruction, false);
    return;
  }
  if (instruction.opcode == "call") {
    parse_call_operands(instruction);
    return;
  }
  do {
    if (instruction.opcode == "brx" && instruction.operands.size() == 1) {
      parse_branch_label(instruction, true);
    } else {
      instruction.operands.push_back(operands_.parse());
    }
  } while (lexer_.accept(','));
}

void FunctionParser::parse_branch_label(Instruction& instruction, bool is_table) {
  const Token label = lexer_.expect_kind(TokenKind::kWord, "a label to branch to");
  Operand operand;
  operand.kind = is_table ? Operand::Kind::kSymbol : Operand::Kind::kLabel;
  operand.symbol = label.text;
  PendingLabel pending;
  pending.label = label.text;
  pending.line = label.line;
  pending.instruction = int(function_.body.size()) - 1;
  pending.operand = int(instruction.operands.size());
  pending.is_table = is_table;
  instruction.operands.push_back(std::move(operand));
  scopes_.add_pending(pending);
}

// call (results), callee, (arguments), prototype;
void FunctionParser::parse_call_operands(Instruction& instruction) {
  if (lexer_.at('(')) {
    instruction.operands.push_back(operands_.parse_call_list());
    lexer_.expect(',', "after the results of a call");
  }
  const Token callee = lexer_.peek();
  instruction.operands.push_back(operands_.parse_name());
  if (instruction.operands.back().kind == Operand::Kind::kSink) {
    throw ParseError(callee.line, "'_' cannot be called");
  }
  while (lexer_.accept(',')) {
    instruction.operands.push_back(lexer_.at('(') ? operands_.parse_call_list()
                                                  : operands_.parse_name());
  }
}

}  // namespace tcd::emu::ptx
