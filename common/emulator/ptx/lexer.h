// PTX text → tokens, on demand and without copies: a token's text points into the source.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tcd::emu::ptx {

enum class TokenKind : uint8_t {
  kEnd,
  kWord,     // mov  %r1  $L__BB0_2  _
  kDotWord,  // .reg  .L2::128B  .m16n8k16 (text without the leading dot)
  kNumber,   // 16  0x1FU  0f3F800000  1.5e-3
  kString,   // text without the quotes
  kPunct,    // one character, or one of << >> <= >= == != && ||
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;
  int line = 1;
};

// One token of lookahead. A Lexer is a position: copy it to try something and come back.
class Lexer {
 public:
  explicit Lexer(std::string_view text);
  const Token& peek() const { return token_; }
  Token take();
  int line() const { return token_.line; }
  bool at(char punct) const {
    return token_.kind == TokenKind::kPunct && token_.text.size() == 1 && token_.text[0] == punct;
  }
  bool at_dot(std::string_view word) const {
    return token_.kind == TokenKind::kDotWord && token_.text == word;
  }
  bool at_word(std::string_view word) const {
    return token_.kind == TokenKind::kWord && token_.text == word;
  }
  // A `.x` written right behind the previous token, as in %tid.x.
  bool at_attached_dot() const {
    return token_.kind == TokenKind::kDotWord && token_.text.data() == previous_end_ + 1;
  }
  bool accept(char punct);
  bool accept_dot(std::string_view word);
  void expect(char punct, std::string_view where);  // throws ParseError: "expected ';' after …"
  Token expect_kind(TokenKind kind, std::string_view what);
  void skip_braces();  // at `{`: past the matching `}` (DWARF sections)
  [[noreturn]] void fail(const std::string& what) const;         // ParseError at the current token
  [[noreturn]] void fail_expected(std::string_view what) const;  // "expected X, found Y"

 private:
  void skip_blank();
  void advance();
  std::string_view scan_number() const;

  const char* at_ = nullptr;
  const char* end_ = nullptr;
  const char* previous_end_ = nullptr;
  int line_ = 1;
  Token token_;
};

// How a token is called in a message: 'foo', ".reg", end of file, …
std::string describe(const Token& token);

}  // namespace tcd::emu::ptx
