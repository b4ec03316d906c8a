// What a name means inside a function body: registers, variables and labels per `{ }` block.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ptx/ast.h"

namespace tcd::emu::ptx {

// Lets maps of std::string be searched with a token's text without a copy.
struct StringHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};
using SymbolNames = std::unordered_set<std::string, StringHash, std::equal_to<>>;

struct Name {
  enum class Kind : uint8_t { kRegister, kVariable, kPrototype } kind = Kind::kRegister;
  int reg = -1;        // kRegister
  std::string symbol;  // otherwise: the name the AST uses
};

// A label (or branch table) used before it was seen. Where to write the answer is an index path,
// because the vectors it lives in still grow.
struct PendingLabel {
  std::string_view label;
  int line = 0;
  int instruction = -1;  // write body[instruction].operands[operand].target …
  int operand = -1;
  int table = -1;  // … or branch_tables[table][slot]
  int slot = -1;
  bool is_table = false;  // the label names a .branchtargets list
};

class Scopes {
 public:
  void open() { scopes_.emplace_back(); }
  // Writes the labels this scope defines into `function`; the others may stand in the enclosing
  // one. Throws ParseError when the outermost scope does not define one either.
  void close(Function& function);
  size_t depth() const { return scopes_.size(); }

  // Each returns false when the innermost scope already has that name.
  bool add_range(std::string_view prefix, int first_register, int count);
  bool add(std::string_view name, Name meaning);
  bool add_label(std::string_view label, int instruction);
  bool add_table(std::string_view label, int table);
  void add_pending(PendingLabel pending) { scopes_.back().pending.push_back(pending); }

  // Innermost meaning first. Returns false when nothing is declared under that name.
  bool find(std::string_view name, Name& meaning) const;

 private:
  struct Range {
    int first_register = 0;
    int count = 0;
  };
  struct Scope {
    std::unordered_map<std::string_view, Range> ranges;  // %r<10>: one entry, not ten
    std::unordered_map<std::string, Name, StringHash, std::equal_to<>> names;
    std::unordered_map<std::string_view, int> labels;
    std::unordered_map<std::string_view, int> tables;
    std::vector<PendingLabel> pending;
  };
  static int find_in_ranges(const Scope& scope, std::string_view name);
  std::vector<Scope> scopes_;
};

}  // namespace tcd::emu::ptx
