#include "ptx/lexer.h"

#include <array>

#include "ptx/parser.h"

namespace tcd::emu::ptx {
namespace {

enum CharClass : uint8_t { kOther = 0, kBlank = 1, kDigit = 2, kLetter = 4 };

// Letters include _ and $. A % begins a name only in front of one of them, so that 7%4 is a rest.
constexpr std::array<uint8_t, 256> make_classes() {
  std::array<uint8_t, 256> classes{};
  for (int c = 'a'; c <= 'z'; ++c) classes[size_t(c)] = kLetter;
  for (int c = 'A'; c <= 'Z'; ++c) classes[size_t(c)] = kLetter;
  for (int c = '0'; c <= '9'; ++c) classes[size_t(c)] = kDigit;
  for (char c : {'_', '$'}) classes[size_t(c)] = kLetter;
  for (char c : {' ', '\t', '\r', '\n', '\v', '\f'}) classes[size_t(c)] = kBlank;
  return classes;
}
constexpr std::array<uint8_t, 256> kClasses = make_classes();

bool is(char c, unsigned char_class) {
  return (kClasses[static_cast<unsigned char>(c)] & char_class) != 0;
}

}  // namespace

Lexer::Lexer(std::string_view text) {
  // A fat binary pads its PTX with NUL bytes.
  while (!text.empty() && text.back() == '\0') text.remove_suffix(1);
  at_ = text.data();
  end_ = at_ + text.size();
  previous_end_ = at_;
  advance();
}

void Lexer::skip_blank() {
  while (at_ != end_) {
    const char c = *at_;
    if (is(c, kBlank)) {
      line_ += c == '\n';
      ++at_;
    } else if (c == '/' && end_ - at_ > 1 && at_[1] == '/') {
      while (at_ != end_ && *at_ != '\n') ++at_;
    } else if (c == '/' && end_ - at_ > 1 && at_[1] == '*') {
      const int start = line_;
      for (at_ += 2;; ++at_) {
        if (end_ - at_ < 2) throw ParseError(start, "comment /* is never closed");
        if (at_[0] == '*' && at_[1] == '/') break;
        line_ += *at_ == '\n';
      }
      at_ += 2;
    } else if (c == '#') {  // a preprocessor's line marker
      while (at_ != end_ && *at_ != '\n') ++at_;
    } else {
      return;
    }
  }
}

std::string_view Lexer::scan_number() const {
  const char* p = at_;
  const bool is_hex_like =
      *p == '0' && end_ - p > 1 && !is(p[1], kDigit) && p[1] != '.' && p[1] != 'e' && p[1] != 'E';
  while (p != end_) {
    if (is(*p, kDigit | kLetter)) {
      const bool is_exponent = !is_hex_like && (*p == 'e' || *p == 'E');
      ++p;
      if (is_exponent && p != end_ && (*p == '+' || *p == '-')) ++p;
    } else if (*p == '.' && !is_hex_like) {
      ++p;
    } else {
      break;
    }
  }
  return {at_, size_t(p - at_)};
}

void Lexer::advance() {
  previous_end_ = at_;
  skip_blank();
  token_.line = line_;
  if (at_ == end_) {
    token_.kind = TokenKind::kEnd;
    token_.text = {};
    return;
  }
  const char* const start = at_;
  if (is(*at_, kLetter) || (*at_ == '%' && end_ - at_ > 1 && is(at_[1], kLetter))) {
    ++at_;
    while (at_ != end_ && is(*at_, kLetter | kDigit)) ++at_;
    token_.kind = TokenKind::kWord;
    token_.text = {start, size_t(at_ - start)};
    return;
  }
  if (*at_ == '.') {
    ++at_;
    while (at_ != end_) {
      if (is(*at_, kLetter | kDigit)) {
        ++at_;
      } else if (*at_ == ':' && end_ - at_ > 1 && at_[1] == ':') {  // .L2::128B
        at_ += 2;
      } else {
        break;
      }
    }
    token_.kind = TokenKind::kDotWord;
    token_.text = {start + 1, size_t(at_ - start - 1)};
    if (token_.text.empty()) throw ParseError(line_, "a '.' with no name behind it");
    return;
  }
  if (is(*at_, kDigit)) {
    token_.kind = TokenKind::kNumber;
    token_.text = scan_number();
    at_ += token_.text.size();
    return;
  }
  if (*at_ == '"') {
    const char* p = at_ + 1;
    while (p != end_ && *p != '"' && *p != '\n') p += (*p == '\\' && end_ - p > 1) ? 2 : 1;
    if (p == end_ || *p != '"') throw ParseError(line_, "string is never closed");
    token_.kind = TokenKind::kString;
    token_.text = {start + 1, size_t(p - start - 1)};
    for (char c : token_.text) line_ += c == '\n';
    at_ = p + 1;
    return;
  }
  const unsigned char byte = static_cast<unsigned char>(*at_);
  if (byte < 0x20 || byte > 0x7e) {
    constexpr char kHex[] = "0123456789abcdef";
    throw ParseError(line_, std::string("byte 0x") + kHex[byte >> 4] + kHex[byte & 15] +
                                " does not belong in PTX text");
  }
  size_t length = 1;
  if (end_ - at_ > 1) {
    const char a = at_[0];
    const char b = at_[1];
    if ((a == b && (a == '<' || a == '>' || a == '=' || a == '&' || a == '|')) ||
        (b == '=' && (a == '<' || a == '>' || a == '!'))) {
      length = 2;
    }
  }
  token_.kind = TokenKind::kPunct;
  token_.text = {start, length};
  at_ += length;
}

Token Lexer::take() {
  const Token token = token_;
  advance();
  return token;
}

bool Lexer::accept(char punct) {
  if (!at(punct)) return false;
  advance();
  return true;
}

bool Lexer::accept_dot(std::string_view word) {
  if (!at_dot(word)) return false;
  advance();
  return true;
}

void Lexer::expect(char punct, std::string_view where) {
  if (accept(punct)) return;
  fail_expected("'" + std::string(1, punct) + "' " + std::string(where));
}

Token Lexer::expect_kind(TokenKind kind, std::string_view what) {
  if (token_.kind != kind) fail_expected(what);
  return take();
}

void Lexer::skip_braces() {
  const int start = token_.line;
  unsigned depth = 0;
  do {
    if (token_.kind == TokenKind::kEnd) throw ParseError(start, "'{' is never closed");
    if (at('{')) ++depth;
    if (at('}')) --depth;
    advance();
  } while (depth != 0);
}

void Lexer::fail(const std::string& what) const { throw ParseError(token_.line, what); }

void Lexer::fail_expected(std::string_view what) const {
  fail("expected " + std::string(what) + ", found " + describe(token_));
}

std::string describe(const Token& token) {
  constexpr size_t kLongest = 60;  // a hostile token may be the whole file
  std::string text(token.text.substr(0, kLongest));
  if (token.text.size() > kLongest) text += "…";
  switch (token.kind) {
    case TokenKind::kEnd:
      return "the end of the text";
    case TokenKind::kDotWord:
      return "'." + text + "'";
    case TokenKind::kString:
      return "the string \"" + text + "\"";
    default:
      return "'" + text + "'";
  }
}

}  // namespace tcd::emu::ptx
