#include "ptx/source_lines.h"

#include <cstddef>

#include "ptx/constant_expression.h"

namespace tcd::emu::ptx {
namespace {

constexpr size_t kLongestChain = 64;  // inlining is not nested deeper by any compiler we know
constexpr uint64_t kLargestNumber = 0x7fffffff;

}  // namespace

SourceLines::Position SourceLines::parse_position(Lexer& lexer) {
  Position position;
  position.file = uint32_t(parse_count(lexer, kLargestNumber, "the file of .loc"));
  position.line = uint32_t(parse_count(lexer, kLargestNumber, "the line of .loc"));
  position.column = uint32_t(parse_count(lexer, kLargestNumber, "the column of .loc"));
  return position;
}

void SourceLines::parse_loc(Lexer& lexer) {
  const Position position = parse_position(lexer);
  current_.inlined_at.clear();
  while (lexer.accept(',')) {
    if (lexer.at_word("function_name")) {
      lexer.take();
      lexer.expect_kind(TokenKind::kWord, "a label after function_name");
      if (lexer.at('+')) parse_sum(lexer);
    } else if (lexer.at_word("inlined_at")) {
      lexer.take();
      const Position caller = parse_position(lexer);
      current_.inlined_at.push_back({int(caller.file), int(caller.line)});
      const auto outer = inlined_at_.find(caller);
      if (outer != inlined_at_.end()) {
        const std::vector<FunctionCallSite>& chain = outer->second;
        const size_t kept = chain.size() < kLongestChain ? chain.size() : kLongestChain - 1;
        current_.inlined_at.insert(current_.inlined_at.end(), chain.begin(),
                                   chain.begin() + std::ptrdiff_t(kept));
      }
    } else {
      lexer.fail_expected("function_name or inlined_at");
    }
  }
  // Line 0 is the compiler's word for "no line": 0/0 says unknown.
  current_.file = position.line == 0 ? 0 : int(position.file);
  current_.line = int(position.line);
  inlined_at_[position] = current_.inlined_at;
}

void SourceLines::reset() {
  inlined_at_.clear();
  current_ = {};
}

}  // namespace tcd::emu::ptx
