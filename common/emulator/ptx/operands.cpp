#include "ptx/operands.h"

#include "ptx/constant_expression.h"
#include "ptx/parser.h"
#include "ptx/special_registers.h"

namespace tcd::emu::ptx {

Operand OperandParser::parse_name() {
  const Token token = lexer_.expect_kind(TokenKind::kWord, "an operand");
  Operand operand;
  if (token.text == "_") {
    operand.kind = Operand::Kind::kSink;
    return operand;
  }
  Name meaning;
  if (scopes_.find(token.text, meaning)) {
    if (meaning.kind == Name::Kind::kRegister) {
      operand.kind = Operand::Kind::kRegister;
      operand.reg = meaning.reg;
      if (lexer_.at_attached_dot()) operand.symbol = lexer_.take().text;  // %r1.b0
    } else {
      operand.kind = Operand::Kind::kSymbol;
      operand.symbol = std::move(meaning.symbol);
    }
    return operand;
  }
  operand.kind = Operand::Kind::kSymbol;
  operand.symbol = token.text;
  if (is_special_register(token.text)) {
    if (lexer_.at_attached_dot()) {
      operand.symbol += '.';
      operand.symbol += lexer_.take().text;
    }
    return operand;
  }
  if (!module_symbols_.contains(token.text)) {
    throw ParseError(token.line, describe(token) +
                                     (token.text[0] == '%'
                                          ? " is neither a register declared here nor a special one"
                                          : " is not declared"));
  }
  return operand;
}

uint64_t OperandParser::parse_offset() {
  const Constant offset = parse_sum(lexer_);
  if (offset.is_float()) lexer_.fail("a floating-point constant as an address offset");
  return offset.bits;
}

Operand OperandParser::parse_scalar() {
  if (begins_constant(lexer_.peek())) {
    const Constant constant = parse_constant(lexer_);
    Operand operand;
    operand.imm = constant.bits;
    operand.literal = constant.literal;
    return operand;
  }
  if (lexer_.at('!')) {
    const Lexer before = lexer_;
    lexer_.take();
    if (lexer_.peek().kind == TokenKind::kWord && lexer_.peek().text != "WARP_SZ") {
      Operand operand = parse_name();
      if (operand.kind != Operand::Kind::kRegister) {
        lexer_.fail("'!' needs a predicate register or a constant");
      }
      operand.negated = true;
      return operand;
    }
    lexer_ = before;
    Operand operand;
    operand.imm = parse_constant(lexer_).bits;
    return operand;
  }
  Operand operand = parse_name();
  if (operand.kind == Operand::Kind::kSymbol && (lexer_.at('+') || lexer_.at('-'))) {
    operand.imm = parse_offset();
  }
  return operand;
}

Operand OperandParser::parse_braces() {
  Operand operand;
  operand.kind = Operand::Kind::kVector;
  lexer_.expect('{', "at the start of a vector");
  do {
    operand.elements.push_back(parse_scalar());
  } while (lexer_.accept(','));
  lexer_.expect('}', "at the end of a vector operand");
  return operand;
}

Operand OperandParser::parse_brackets() {
  Operand operand;
  lexer_.expect('[', "at the start of an address");
  if (begins_constant(lexer_.peek())) {
    operand.imm = parse_offset();
  } else {
    operand = parse_name();
    if (operand.kind == Operand::Kind::kSink) lexer_.fail("'_' is no address");
    if (lexer_.at('+') || lexer_.at('-')) operand.imm = parse_offset();
  }
  operand.kind = Operand::Kind::kAddress;
  if (lexer_.accept(',')) {  // texture or tensor coordinates
    if (lexer_.at('{')) {
      operand.elements = parse_braces().elements;
    } else {
      operand.elements.push_back(parse_scalar());
    }
    while (lexer_.accept(',')) {  // im2col offsets
      operand.elements.push_back(lexer_.at('{') ? parse_braces() : parse_scalar());
    }
  }
  lexer_.expect(']', "at the end of an address");
  return operand;
}

Operand OperandParser::parse() {
  if (lexer_.at('{')) return parse_braces();
  if (lexer_.at('[')) return parse_brackets();
  Operand operand = parse_scalar();
  if (operand.kind == Operand::Kind::kSymbol &&
      lexer_.at('[')) {  // table[4]: an older address form
    lexer_.take();
    operand.imm += parse_offset();
    operand.kind = Operand::Kind::kAddress;
    lexer_.expect(']', "after the offset");
    return operand;
  }
  if (!lexer_.at('|')) return operand;
  lexer_.take();
  Operand pair;
  pair.kind = Operand::Kind::kVector;
  pair.pair = true;
  pair.elements.push_back(std::move(operand));
  pair.elements.push_back(parse_name());
  return pair;
}

Operand OperandParser::parse_call_list() {
  Operand operand;
  operand.kind = Operand::Kind::kVector;
  lexer_.expect('(', "at the start of a call's list");
  if (lexer_.accept(')')) return operand;
  do {
    operand.elements.push_back(parse_scalar());
  } while (lexer_.accept(','));
  lexer_.expect(')', "at the end of a call's list");
  return operand;
}

}  // namespace tcd::emu::ptx
