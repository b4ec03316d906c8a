#include "ptx/parser.h"

#include <charconv>

#include "ptx/constant_expression.h"
#include "ptx/declarations.h"
#include "ptx/function_parser.h"
#include "ptx/lexer.h"

namespace tcd::emu::ptx {
namespace {

constexpr uint64_t kLargestFileIndex = 65535;

class ModuleParser {
 public:
  explicit ModuleParser(std::string_view text) : lexer_(text) { module_.files.emplace_back(); }

  Module parse() {
    if (!lexer_.at_dot("version")) {
      lexer_.fail_expected(".version, with which every PTX module begins");
    }
    while (lexer_.peek().kind != TokenKind::kEnd) {
      if (lexer_.accept(';')) continue;
      parse_directive();
    }
    if (is_linkage_open_) lexer_.fail_expected("a function or variable after its linkage");
    if (module_.target == 0) lexer_.fail("the module has no .target sm_XY");
    resolve_aliases();
    return std::move(module_);
  }

 private:
  void parse_directive() {
    const Token directive = lexer_.expect_kind(TokenKind::kDotWord, "a directive such as .entry");
    const std::string_view name = directive.text;
    if (name == "version") {
      parse_version();
    } else if (name == "target") {
      parse_target();
    } else if (name == "address_size") {
      module_.address_size = unsigned(parse_count(lexer_, 64, "the address size"));
      if (module_.address_size != 64) {
        throw ParseError(directive.line, "only 64-bit addresses are supported (.address_size 64)");
      }
    } else if (name == "file") {
      parse_file();
    } else if (name == "section") {
      if (!lexer_.at('{')) lexer_.take();
      if (!lexer_.at('{')) lexer_.fail_expected("'{' after .section");
      lexer_.skip_braces();
    } else if (name == "pragma") {
      lexer_.expect_kind(TokenKind::kString, "a string after .pragma");
      lexer_.expect(';', "after .pragma");
    } else if (name == "loc") {
      outside_.parse_loc(lexer_);
    } else if (name == "alias") {
      parse_alias();
    } else if (name == "visible" || name == "extern" || name == "weak" || name == "common") {
      linkage_ = name == "visible"  ? Linkage::kVisible
                 : name == "weak"   ? Linkage::kWeak
                 : name == "common" ? Linkage::kCommon
                                    : Linkage::kExtern;
      is_linkage_open_ = true;
      return;  // belongs to what follows
    } else if (name == "entry" || name == "func") {
      Function function = FunctionParser(lexer_, symbols_, budget_).parse(name == "entry");
      function.linkage = linkage_;
      add_function(std::move(function));
    } else if (const auto space = space_from(name); space && *space != Space::kReg) {
      parse_module_variables(*space);
    } else {
      throw ParseError(directive.line, "unknown directive " + describe(directive));
    }
    linkage_ = Linkage::kLocal;
    is_linkage_open_ = false;
  }

  void parse_version() {
    const Token token = lexer_.expect_kind(TokenKind::kNumber, "a version such as 9.0");
    const char* const end = token.text.data() + token.text.size();
    const auto major = std::from_chars(token.text.data(), end, module_.version_major);
    bool is_good = major.ec == std::errc() && major.ptr != end && *major.ptr == '.';
    if (is_good) {
      const auto minor = std::from_chars(major.ptr + 1, end, module_.version_minor);
      is_good = minor.ec == std::errc() && minor.ptr == end;
    }
    if (!is_good) throw ParseError(token.line, describe(token) + " is no PTX version (like 9.0)");
  }

  void parse_target() {
    do {
      const Token token = lexer_.expect_kind(TokenKind::kWord, "a target such as sm_80");
      if (!token.text.starts_with("sm_")) continue;  // debug, texmode_unified, …
      const char* const end = token.text.data() + token.text.size();
      const auto result = std::from_chars(token.text.data() + 3, end, module_.target);
      if (result.ec != std::errc() || module_.target < 10) {  // a suffix (sm_90a) is fine
        throw ParseError(token.line, describe(token) + " is no target (like sm_80)");
      }
    } while (lexer_.accept(','));
  }

  void parse_file() {
    const auto index = size_t(parse_count(lexer_, kLargestFileIndex, "the index of .file"));
    const Token name = lexer_.expect_kind(TokenKind::kString, "a file name after .file");
    while (lexer_.accept(',')) parse_constant(lexer_);  // timestamp, size
    if (index == 0) return;
    if (module_.files.size() <= index) module_.files.resize(index + 1);
    module_.files[index] = name.text;
  }

  void parse_alias() {
    Alias alias;
    alias.line = lexer_.line();
    alias.name = lexer_.expect_kind(TokenKind::kWord, "the alias's name").text;
    lexer_.expect(',', "between an alias and its function");
    alias.target = lexer_.expect_kind(TokenKind::kWord, "the function behind an alias").text;
    lexer_.expect(';', "after .alias");
    symbols_.emplace(alias.name);
    aliases_.push_back(alias);
  }

  void add_function(Function function) {
    const auto [at, is_new] = function_index_.try_emplace(function.name, module_.functions.size());
    if (is_new) {
      module_.functions.push_back(std::move(function));
      return;
    }
    Function& known = module_.functions[at->second];
    if (function.is_declaration) return;
    if (!known.is_declaration) {
      throw ParseError(function.ptx_line, "function " + function.name + " is defined twice");
    }
    known = std::move(function);
  }

  void parse_module_variables(Space space) {
    if (space == Space::kLocal || space == Space::kParam) {
      lexer_.fail("a variable outside functions must be .global, .const or .shared");
    }
    const int line = lexer_.line();
    std::vector<Variable> declared;
    parse_variables(lexer_, space, linkage_ == Linkage::kExtern, false, budget_, declared);
    lexer_.expect(';', "after a variable");
    for (Variable& variable : declared) {
      variable.linkage = linkage_;
      symbols_.insert(variable.name);
      const auto [at, is_new] =
          variable_index_.try_emplace(variable.name, module_.variables.size());
      if (is_new) {
        module_.variables.push_back(std::move(variable));
        continue;
      }
      Variable& known = module_.variables[at->second];
      if (!known.is_extern && !variable.is_extern) {
        throw ParseError(line, "variable " + variable.name + " is defined twice");
      }
      if (known.is_extern) known = std::move(variable);
    }
  }

  // An alias is a second name: consumers get a function of that name with the same body.
  void resolve_aliases() {
    for (const Alias& alias : aliases_) {
      const auto target = function_index_.find(std::string(alias.target));
      if (target == function_index_.end()) {
        throw ParseError(alias.line, "alias of " + std::string(alias.target.substr(0, 80)) +
                                         ", which is no function of this module");
      }
      Function copy = module_.functions[target->second];
      copy.name = alias.name;
      const auto declared = function_index_.find(copy.name);
      if (declared != function_index_.end()) {
        copy.linkage = module_.functions[declared->second].linkage;
      }
      // Aliasing big functions many times over must not multiply a small text into gigabytes.
      if (copy.body.size() > aliased_instructions_left_) {
        throw ParseError(alias.line, "aliases of this module repeat over 100000 instructions");
      }
      aliased_instructions_left_ -= copy.body.size();
      add_function(std::move(copy));
    }
  }

  struct Alias {
    std::string_view name, target;
    int line = 0;
  };

  Lexer lexer_;
  Module module_;
  SymbolNames symbols_;
  ParseBudget budget_;
  SourceLines outside_;  // a .loc between functions says nothing
  std::vector<Alias> aliases_;
  size_t aliased_instructions_left_ = 100000;
  std::unordered_map<std::string, size_t> function_index_, variable_index_;
  Linkage linkage_ = Linkage::kLocal;  // of what comes next
  bool is_linkage_open_ = false;       // it was written: .extern .visible .weak .common
};

}  // namespace

Module parse(std::string_view text) { return ModuleParser(text).parse(); }

}  // namespace tcd::emu::ptx
