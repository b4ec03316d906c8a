#include "ptx/function_parser.h"

#include "ptx/constant_expression.h"
#include "ptx/parser.h"

namespace tcd::emu::ptx {
namespace {

constexpr size_t kDeepestBlock = 200;  // nested { }
constexpr size_t kMostTableEdges = 1u << 20;
constexpr uint64_t kMostThreads = 1u << 20;

// Directives between parameters and body that say nothing about what the code computes, with the
// most integers they take.
struct HintDirective {
  std::string_view name;
  int most_values;
};
constexpr HintDirective kHints[] = {
    {"maxnreg", 1},           {"maxnctapersm", 1},      {"noreturn", 0},
    {"explicitcluster", 0},   {"reqnctapercluster", 3}, {"maxclusterrank", 1},
    {"blocksareclusters", 0}, {"abi_preserve", 1},      {"abi_preserve_control", 1}};

// Up to three extents, x fastest; those not written are 1.
void parse_extents(Lexer& lexer, int most, unsigned (&extents)[3]) {
  extents[0] = extents[1] = extents[2] = 1;
  for (int i = 0; i < most; ++i) {
    extents[i] = unsigned(parse_count(lexer, kMostThreads, "a number of threads"));
    if (!lexer.accept(',')) return;
  }
  lexer.fail("more than " + std::to_string(most) + " values in a directive of the kernel");
}

void parse_pragma(Lexer& lexer) {
  do {
    lexer.expect_kind(TokenKind::kString, "a string after .pragma");
  } while (lexer.accept(','));
  lexer.expect(';', "after .pragma \"…\"");
}

}  // namespace

Function FunctionParser::parse(bool is_entry) {
  function_ = {};
  function_.is_entry = is_entry;
  function_.ptx_line = lexer_.line();
  scopes_.open();
  bool is_managed = false;
  while (lexer_.at_dot("attribute")) parse_attributes(lexer_, is_managed);
  if (lexer_.at('(')) parse_parameters(function_.returns);
  const Token name = lexer_.expect_kind(TokenKind::kWord, "the name of a function");
  function_.name = name.text;
  symbols_.emplace(name.text);
  if (lexer_.at('(')) parse_parameters(function_.params);
  parse_header_directives();
  if (lexer_.accept(';')) {
    function_.is_declaration = true;
    return std::move(function_);
  }
  if (!lexer_.at('{')) lexer_.fail_expected("'{' or ';' after the header of " + function_.name);
  declare_parameters(function_.returns);
  declare_parameters(function_.params);
  parse_body();
  check_branch_tables();
  return std::move(function_);
}

// Many brx that share one long table would make a flow graph far larger than the text.
void FunctionParser::check_branch_tables() const {
  size_t edges = 0;
  for (const Instruction& instruction : function_.body) {
    if (instruction.opcode != "brx" || instruction.operands.size() != 2) continue;
    edges += function_.branch_tables[size_t(instruction.operands[1].target)].size();
    if (edges > kMostTableEdges) {
      throw ParseError(instruction.ptx_line,
                       "the brx of " + function_.name + " have more than 1048576 targets in all");
    }
  }
}

void FunctionParser::parse_parameters(std::vector<Variable>& into) {
  lexer_.expect('(', "before parameters");
  if (lexer_.accept(')')) return;
  do {
    if (lexer_.accept_dot("reg")) {
      parse_variables(lexer_, Space::kReg, false, true, budget_, into);
    } else {
      if (!lexer_.accept_dot("param")) lexer_.fail_expected(".param");
      parse_variables(lexer_, Space::kParam, false, true, budget_, into);
    }
  } while (lexer_.accept(','));
  lexer_.expect(')', "after parameters");
}

void FunctionParser::declare_parameters(const std::vector<Variable>& parameters) {
  for (const Variable& parameter : parameters) {
    if (parameter.space == Space::kReg) {
      throw ParseError(function_.ptx_line,
                       function_.name + " takes its arguments in registers (.reg); only .param " +
                           "arguments, as nvcc writes them, are supported");
    }
    if (parameter.name == "_") continue;  // declared without a name, so never used
    add_name(parameter.name, function_.ptx_line, {Name::Kind::kVariable, -1, parameter.name});
    declarations_of_[parameter.name] = 1;
  }
}

void FunctionParser::parse_header_directives() {
  while (lexer_.peek().kind == TokenKind::kDotWord) {
    const Token directive = lexer_.take();
    unsigned extents[3];
    if (directive.text == "maxntid") {
      parse_extents(lexer_, 3, extents);
      function_.max_threads = extents[0] * extents[1] * extents[2];
    } else if (directive.text == "reqntid") {
      parse_extents(lexer_, 3, function_.required_threads);
    } else if (directive.text == "minnctapersm") {
      parse_extents(lexer_, 1, extents);
      function_.min_ctas = extents[0];
    } else if (directive.text == "pragma") {
      parse_pragma(lexer_);
    } else {
      const HintDirective* hint = nullptr;
      for (const HintDirective& candidate : kHints) {
        if (candidate.name == directive.text) hint = &candidate;
      }
      if (hint == nullptr) {
        throw ParseError(directive.line, "unknown directive " + describe(directive) +
                                             " in the header of " + function_.name);
      }
      if (hint->most_values > 0 && lexer_.peek().kind == TokenKind::kNumber) {
        parse_extents(lexer_, hint->most_values, extents);
      }
    }
  }
}

void FunctionParser::parse_body() {
  const int first_line = lexer_.line();
  lines_.reset();
  lexer_.expect('{', "at the start of a body");
  const size_t outermost = scopes_.depth();
  for (;;) {
    const Token& token = lexer_.peek();
    switch (token.kind) {
      case TokenKind::kDotWord:
        parse_directive();
        break;
      case TokenKind::kWord: {
        const Token word = lexer_.take();
        if (lexer_.accept(':')) {
          parse_label(word);
        } else {
          parse_instruction(word, -1, false);
        }
        break;
      }
      case TokenKind::kPunct:
        if (lexer_.at('@')) {
          parse_guarded();
        } else if (lexer_.at('{')) {
          if (scopes_.depth() >= kDeepestBlock) lexer_.fail("'{' nested more than 200 levels deep");
          scopes_.open();
          lexer_.take();
        } else if (lexer_.at('}')) {
          const bool is_last = scopes_.depth() == outermost;
          scopes_.close(function_);
          lexer_.take();
          if (is_last) return;
        } else if (!lexer_.accept(';')) {
          lexer_.fail_expected("an instruction");
        }
        break;
      case TokenKind::kEnd:
        throw ParseError(first_line, "the body of " + function_.name + " is never closed");
      default:
        lexer_.fail_expected("an instruction");
    }
  }
}

void FunctionParser::parse_directive() {
  const Token directive = lexer_.take();
  if (directive.text == "loc") {
    lines_.parse_loc(lexer_);
  } else if (directive.text == "reg") {
    parse_registers();
  } else if (directive.text == "pragma") {
    parse_pragma(lexer_);
  } else if (directive.text == "branchtargets" || directive.text == "callprototype" ||
             directive.text == "calltargets") {
    throw ParseError(directive.line, describe(directive) + " needs a label in front of it");
  } else {
    const bool is_extern = directive.text == "extern";
    const Token space_token = is_extern ? lexer_.take() : directive;
    const auto space = space_from(space_token.text);
    if (!space || space_token.kind != TokenKind::kDotWord) {
      throw ParseError(directive.line, "unknown directive " + describe(directive) + " in the body");
    }
    parse_local_variables(*space, is_extern);
  }
}

void FunctionParser::add_name(std::string_view name, int line, Name meaning) {
  if (!scopes_.add(name, std::move(meaning))) {
    throw ParseError(line, std::string(name.substr(0, 80)) + " is declared twice in one block");
  }
}

int FunctionParser::new_register(std::string name, Type type) {
  if (budget_.registers == 0) lexer_.fail("more than 1048576 registers in one module");
  --budget_.registers;
  function_.registers.push_back({std::move(name), type});
  return int(function_.registers.size()) - 1;
}

void FunctionParser::parse_registers() {
  const Token type_token = lexer_.expect_kind(TokenKind::kDotWord, "a type after .reg");
  if (type_token.text == "v2" || type_token.text == "v4") {
    throw ParseError(type_token.line, "vector registers (.reg .v4 …) are not supported");
  }
  const auto type = type_from(type_token.text);
  if (!type) throw ParseError(type_token.line, describe(type_token) + " is no register type");
  do {
    const Token name = lexer_.expect_kind(TokenKind::kWord, "the name of a register");
    if (lexer_.accept('<')) {
      const uint64_t count = parse_count(lexer_, budget_.registers, "the number of registers");
      lexer_.expect('>', "after the number of registers");
      declare_register_range(name, *type, count);
    } else {
      const int reg = new_register(std::string(name.text), *type);
      add_name(name.text, name.line, {Name::Kind::kRegister, reg, {}});
    }
  } while (lexer_.accept(','));
  lexer_.expect(';', "after a register declaration");
}

void FunctionParser::declare_register_range(const Token& prefix, Type type, uint64_t count) {
  const int first = int(function_.registers.size());
  if (!scopes_.add_range(prefix.text, first, int(count))) {
    throw ParseError(prefix.line,
                     "registers " + describe(prefix) + "<…> are declared twice in the same block");
  }
  if (prefix.text.size() > 256) throw ParseError(prefix.line, "register name of over 256 letters");
  for (uint64_t i = 0; i < count; ++i) {
    new_register(std::string(prefix.text) + std::to_string(i), type);
  }
}

void FunctionParser::parse_local_variables(Space space, bool is_extern) {
  std::vector<Variable> declared;
  const int line = lexer_.line();
  parse_variables(lexer_, space, is_extern, false, budget_, declared);
  lexer_.expect(';', "after a variable");
  for (Variable& variable : declared) {
    std::string unique = variable.name;
    int& count = declarations_of_[variable.name];
    if (count == 0 && symbols_.contains(variable.name)) count = 1;  // hides the module's
    if (++count > 1) unique += "#" + std::to_string(count);
    add_name(variable.name, line, {Name::Kind::kVariable, -1, unique});
    variable.name = std::move(unique);
    function_.variables.push_back(std::move(variable));
  }
}

}  // namespace tcd::emu::ptx
