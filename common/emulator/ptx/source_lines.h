// `.loc` lines → SourceLocation with the whole chain of inlining.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "ptx/ast.h"
#include "ptx/lexer.h"

namespace tcd::emu::ptx {

// nvcc writes one level per line: `.loc 1 7 3, function_name f, inlined_at 1 12 3` says that 7:3
// stands in a function inlined at 12:3. When 12:3 was inlined itself, an earlier .loc for 12:3 says
// where. nvcc writes that line when it first enters a chain, so the latest .loc for a position is
// the one that counts. When the optimiser interleaves two chains that share a call site, the text
// does not tell them apart and the outer line may be the other chain's.
class SourceLines {
 public:
  // `.loc` was taken; reads the rest. Positions are (file, line, column).
  void parse_loc(Lexer& lexer);
  const SourceLocation& current() const { return current_; }
  void reset();  // a new function begins

 private:
  struct Position {
    uint32_t file = 0, line = 0, column = 0;
    bool operator==(const Position&) const = default;
  };
  struct PositionHash {
    size_t operator()(const Position& p) const {
      return size_t(p.file) * 0x9e3779b97f4a7c15u ^ size_t(p.line) * 0xc2b2ae3d27d4eb4fu ^
             size_t(p.column) * 0x165667b19e3779f9u;
    }
  };
  static Position parse_position(Lexer& lexer);

  std::unordered_map<Position, std::vector<FunctionCallSite>, PositionHash> inlined_at_;
  SourceLocation current_;
};

}  // namespace tcd::emu::ptx
