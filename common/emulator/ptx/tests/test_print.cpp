// Printed instructions must say what the source says, token by token.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "ptx/constant_expression.h"
#include "ptx/lexer.h"
#include "ptx/print.h"
#include "ptx/tests/corpus_files.h"
#include "ptx/tests/flow_text.h"

using namespace tcd::emu::ptx;

namespace {

// Numbers by value, everything else by its text. `+0` of an address is not kept in the AST.
std::string canonical(const std::vector<Token>& tokens) {
  std::string text;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    const bool is_plus_zero = token.text == "+" && i + 2 < tokens.size() &&
                              tokens[i + 1].text == "0" && tokens[i + 2].text == "]";
    if (is_plus_zero) {
      ++i;
    } else if (begins_constant(token) && token.kind != TokenKind::kPunct) {  // WARP_SZ too
      Lexer number(token.text);
      const Constant constant = parse_constant(number);
      text += " #" + std::to_string(int(constant.literal)) + ":" + std::to_string(constant.bits);
    } else {
      text += (token.kind == TokenKind::kDotWord ? " ." : " ") + std::string(token.text);
    }
  }
  return text;
}

std::string canonical(std::string_view text) {
  std::vector<Token> tokens;
  for (Lexer lexer(text); lexer.peek().kind != TokenKind::kEnd;) tokens.push_back(lexer.take());
  return canonical(tokens);
}

// Statements of function bodies, found without the parser: outside `.section`, inside braces, what
// begins with a word or a guard and is no label.
std::vector<std::string> statements_of(std::string_view text) {
  std::vector<std::string> statements;
  int depth = 0;
  Lexer lexer(text);
  while (lexer.peek().kind != TokenKind::kEnd) {
    if (lexer.at_dot("section")) {
      while (!lexer.at('{')) lexer.take();
      lexer.skip_braces();
    } else if (lexer.at_dot("loc")) {
      const int line = lexer.line();
      while (lexer.line() == line) lexer.take();
    } else if (depth == 0 && !lexer.at('{')) {
      // Initialisers hold braces too: skip up to the ';'.
      const bool is_variable = lexer.at_dot("global") || lexer.at_dot("const");
      lexer.take();
      while (is_variable && !lexer.accept(';')) lexer.take();
    } else if (lexer.accept('{')) {
      ++depth;
    } else if (lexer.accept('}')) {
      --depth;
    } else {
      const bool is_instruction = lexer.peek().kind == TokenKind::kWord || lexer.at('@');
      std::vector<Token> tokens;
      while (!lexer.at(';') && !(tokens.size() == 1 && lexer.at(':'))) {
        tokens.push_back(lexer.take());
      }
      const bool is_label = lexer.accept(':');
      if (!is_label) tokens.push_back(lexer.take());
      if (is_instruction && !is_label) statements.push_back(canonical(tokens));
    }
  }
  return statements;
}

std::string reprint(std::string_view text) {
  const Function function = parse_kernel(text);
  return to_text(function.body.at(0), function);
}

}  // namespace

TEST_CASE("what nvcc wrote comes back token by token") {
  size_t compared = 0;
  for (const CorpusFile& file : read_corpus()) {
    if (file.name == "syntax.ptx") continue;  // full of constant expressions
    INFO(file.name);
    const Module module = parse(file.text);
    const std::vector<std::string> source = statements_of(file.text);
    size_t i = 0;
    for (const Function& function : module.functions) {
      if (function.is_declaration) continue;
      // Definitions keep the place of their first declaration; nvcc writes both in one order.
      for (const Instruction& instruction : function.body) {
        REQUIRE(i < source.size());
        REQUIRE(canonical(to_text(instruction, function)) == source[i]);
        ++i;
      }
    }
    CHECK(i == source.size());
    compared += i;
  }
  CHECK(compared > 1000);
}

TEST_CASE("literals are exact") {
  CHECK(reprint("mov.f32 %f1, 0f7FC00001;") == "mov.f32 %f1, 0f7FC00001;");
  CHECK(reprint("mov.f64 %f1, -1.5;") == "mov.f64 %f1, 0dBFF8000000000000;");
  CHECK(reprint("@!%p1 add.s32 %r1, %r2, 0x10U - 1;") == "@!%p1 add.s32 %r1, %r2, 15;");
  CHECK(reprint("mov.u64 %rd1, 0xffffffffffffffff;") == "mov.u64 %rd1, -1;");
  CHECK(reprint("vadd.u32.u32.u32 %r1, %r2.b0, %r3.h1;") ==
        "vadd.u32.u32.u32 %r1, %r2.b0, %r3.h1;");
  CHECK(reprint("ld.shared.v2.f32 {%f1,_}, [%r1-8];") == "ld.shared.v2.f32 {%f1, _}, [%r1+-8];");
  CHECK(reprint("setp.lt.u32 %p1|%p2, %r1, !%p3;") == "setp.lt.u32 %p1|%p2, %r1, !%p3;");
  CHECK(reprint("ld.u32 %r1, [64];") == "ld.u32 %r1, [64];");
  CHECK(reprint("tex.1d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f5}];") ==
        "tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5}];");
  CHECK(reprint(".shared .b32 x; mov.u32 %r1, x+4;") == "mov.u32 %r1, x+4;");
  CHECK(reprint("bra.uni L; L: ret;") == "bra.uni L;");
}
