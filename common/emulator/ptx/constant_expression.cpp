#include "ptx/constant_expression.h"

#include <bit>
#include <charconv>
#include <limits>

#include "ptx/parser.h"

namespace tcd::emu::ptx {
namespace {

constexpr unsigned kDeepest = 64;  // nested parentheses and signs: bounds the stack
constexpr int kAnyOperator = 0;
constexpr int kSumsOnly = 9;

bool parse_digits(std::string_view digits, int base, uint64_t& value) {
  const char* const end = digits.data() + digits.size();
  const auto result = std::from_chars(digits.data(), end, value, base);
  return !digits.empty() && result.ec == std::errc() && result.ptr == end;
}

Constant make_integer(uint64_t bits, bool is_unsigned) {
  return {bits, Operand::Literal::kInteger, is_unsigned};
}

// Binding strength, C's order; -1: no binary operator.
int precedence_of(const Token& token) {
  if (token.kind != TokenKind::kPunct) return -1;
  const std::string_view op = token.text;
  if (op == "||") return 1;
  if (op == "&&") return 2;
  if (op == "|") return 3;
  if (op == "^") return 4;
  if (op == "&") return 5;
  if (op == "==" || op == "!=") return 6;
  if (op == "<" || op == ">" || op == "<=" || op == ">=") return 7;
  if (op == "<<" || op == ">>") return 8;
  if (op == "+" || op == "-") return 9;
  if (op == "*" || op == "/" || op == "%") return 10;
  return -1;
}

Constant apply(const Token& op_token, const Constant& a, const Constant& b) {
  if (a.is_float() || b.is_float()) {
    throw ParseError(op_token.line, "PTX has no arithmetic on floating-point constants");
  }
  const std::string_view op = op_token.text;
  const bool is_unsigned = a.is_unsigned || b.is_unsigned;
  const uint64_t x = a.bits;
  const uint64_t y = b.bits;
  const auto sx = static_cast<int64_t>(x);
  const auto sy = static_cast<int64_t>(y);
  const auto truth = [](bool value) { return make_integer(value, false); };
  if (op == "||") return truth(x || y);
  if (op == "&&") return truth(x && y);
  if (op == "==") return truth(x == y);
  if (op == "!=") return truth(x != y);
  if (op == "<") return truth(is_unsigned ? x < y : sx < sy);
  if (op == ">") return truth(is_unsigned ? x > y : sx > sy);
  if (op == "<=") return truth(is_unsigned ? x <= y : sx <= sy);
  if (op == ">=") return truth(is_unsigned ? x >= y : sx >= sy);
  if (op == "|") return make_integer(x | y, is_unsigned);
  if (op == "^") return make_integer(x ^ y, is_unsigned);
  if (op == "&") return make_integer(x & y, is_unsigned);
  if (op == "+") return make_integer(x + y, is_unsigned);
  if (op == "-") return make_integer(x - y, is_unsigned);
  if (op == "*") return make_integer(x * y, is_unsigned);
  if (op == "<<") return make_integer(y < 64 ? x << y : 0, a.is_unsigned);
  if (op == ">>") {
    const uint64_t by = y < 63 ? y : 63;
    if (!a.is_unsigned) return make_integer(uint64_t(sx >> by), false);
    return make_integer(y < 64 ? x >> y : 0, true);
  }
  if (y == 0) throw ParseError(op_token.line, "division by zero in a constant expression");
  const bool is_quotient = op == "/";
  if (is_unsigned) return make_integer(is_quotient ? x / y : x % y, true);
  if (sy == -1) return make_integer(is_quotient ? 0 - x : 0, false);  // INT64_MIN / -1 would trap
  return make_integer(uint64_t(is_quotient ? sx / sy : sx % sy), false);
}

class ConstantParser {
 public:
  explicit ConstantParser(Lexer& lexer) : lexer_(lexer) {}

  Constant ternary(unsigned depth) {
    const Constant condition = binary(kAnyOperator, depth);
    if (!lexer_.accept('?')) return condition;
    if (condition.is_float()) lexer_.fail("the condition of ?: must be an integer");
    const Constant yes = ternary(deeper(depth));
    lexer_.expect(':', "in the constant expression a ? b : c");
    const Constant no = ternary(deeper(depth));
    return condition.bits != 0 ? yes : no;
  }

  Constant binary(int weakest, unsigned depth) {
    Constant left = unary(depth);
    for (;;) {
      const int precedence = precedence_of(lexer_.peek());
      if (precedence < weakest || precedence < 0) return left;
      const Token op = lexer_.take();
      const Constant right = binary(precedence + 1, deeper(depth));
      left = apply(op, left, right);
    }
  }

 private:
  unsigned deeper(unsigned depth) const {
    if (depth >= kDeepest) lexer_.fail("constant expression nested more than 64 levels deep");
    return depth + 1;
  }

  Constant unary(unsigned depth) {
    if (lexer_.accept('+')) return unary(deeper(depth));
    if (lexer_.accept('-')) {
      Constant value = unary(deeper(depth));
      switch (value.literal) {
        case Operand::Literal::kInteger:
          value.bits = 0 - value.bits;
          break;
        case Operand::Literal::kF32Bits:
          value.bits ^= uint64_t{1} << 31;
          break;
        case Operand::Literal::kF64Bits:
          value.bits ^= uint64_t{1} << 63;
          break;
      }
      return value;
    }
    if (lexer_.at('!') || lexer_.at('~')) {
      const bool is_logical = lexer_.take().text == "!";
      const Constant value = unary(deeper(depth));
      if (value.is_float()) lexer_.fail("'!' and '~' need an integer constant");
      return is_logical ? make_integer(value.bits == 0, false)
                        : make_integer(~value.bits, value.is_unsigned);
    }
    if (lexer_.accept('(')) {
      if (lexer_.at_dot("s64") || lexer_.at_dot("u64")) {  // a cast
        const bool is_unsigned = lexer_.take().text == "u64";
        lexer_.expect(')', "after the type of a cast");
        const Constant value = unary(deeper(depth));
        if (value.is_float()) lexer_.fail("a cast needs an integer constant");
        return make_integer(value.bits, is_unsigned);
      }
      const Constant value = ternary(deeper(depth));
      lexer_.expect(')', "at the end of a parenthesised constant");
      return value;
    }
    if (lexer_.at_word("WARP_SZ")) {
      lexer_.take();
      return make_integer(32, false);
    }
    return parse_literal(lexer_.expect_kind(TokenKind::kNumber, "a constant"));
  }

  Lexer& lexer_;
};

}  // namespace

Constant parse_literal(const Token& token) {
  const std::string_view text = token.text;
  const auto bad = [&](const char* why) {
    return ParseError(token.line, describe(token) + " is no number: " + why);
  };
  Constant constant;
  if (text.size() > 1 && text[0] == '0' && (text[1] | 0x20) == 'f') {  // 0f3F800000
    constant.literal = Operand::Literal::kF32Bits;
    if (text.size() != 10 || !parse_digits(text.substr(2), 16, constant.bits)) {
      throw bad("0f needs 8 hex digits");
    }
    return constant;
  }
  if (text.size() > 1 && text[0] == '0' && (text[1] | 0x20) == 'd') {
    constant.literal = Operand::Literal::kF64Bits;
    if (text.size() != 18 || !parse_digits(text.substr(2), 16, constant.bits)) {
      throw bad("0d needs 16 hex digits");
    }
    return constant;
  }
  std::string_view digits = text;
  int base = 10;
  if (text.size() > 1 && text[0] == '0') {
    const char marker = char(text[1] | 0x20);
    base = marker == 'x' ? 16 : marker == 'b' ? 2 : 8;
    digits.remove_prefix(base == 8 ? 1 : 2);
  }
  if (base != 16 && text.find_first_of(".eE") != std::string_view::npos) {
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    if (result.ec != std::errc() || result.ptr != end) throw bad("not a decimal float either");
    constant.literal = Operand::Literal::kF64Bits;
    constant.bits = std::bit_cast<uint64_t>(value);
    return constant;
  }
  if (!digits.empty() && (digits.back() == 'U' || digits.back() == 'u')) {
    constant.is_unsigned = true;
    digits.remove_suffix(1);
    if (base == 8 && digits.empty()) digits = "0";  // 0U
  }
  if (!parse_digits(digits, base, constant.bits)) {
    throw bad("not an integer that fits 64 bits");
  }
  constant.is_unsigned |= constant.bits > uint64_t(std::numeric_limits<int64_t>::max());
  return constant;
}

bool begins_constant(const Token& token) {
  if (token.kind == TokenKind::kNumber) return true;
  if (token.kind == TokenKind::kWord) return token.text == "WARP_SZ";
  return token.kind == TokenKind::kPunct && token.text.size() == 1 &&
         std::string_view("+-(~").find(token.text[0]) != std::string_view::npos;
}

Constant parse_constant(Lexer& lexer) { return ConstantParser(lexer).ternary(0); }

Constant parse_sum(Lexer& lexer) { return ConstantParser(lexer).binary(kSumsOnly, 0); }

uint64_t parse_count(Lexer& lexer, uint64_t limit, std::string_view what) {
  const int line = lexer.line();
  const Constant value = parse_sum(lexer);
  const bool is_negative = !value.is_unsigned && static_cast<int64_t>(value.bits) < 0;
  if (value.is_float() || is_negative) {
    throw ParseError(line, std::string(what) + " must be a non-negative integer");
  }
  if (value.bits > limit) {
    throw ParseError(line, std::string(what) + " is " + std::to_string(value.bits) +
                               "; the largest accepted value is " + std::to_string(limit));
  }
  return value.bits;
}

}  // namespace tcd::emu::ptx
