#include "ptx/declarations.h"

#include <bit>
#include <cstring>

#include "ptx/constant_expression.h"
#include "ptx/initialiser.h"
#include "ptx/parser.h"

namespace tcd::emu::ptx {
namespace {

constexpr uint64_t kLargestVariable = uint64_t{1} << 40;
constexpr uint64_t kLargestAlign = 1u << 20;

struct NamedType {
  std::string_view name;
  Type type;
};
constexpr NamedType kTypes[] = {
    {"b32", Type::kB32},    {"b64", Type::kB64},        {"f32", Type::kB32},
    {"pred", Type::kPred},  {"u64", Type::kB64},        {"u32", Type::kB32},
    {"b16", Type::kB16},    {"b8", Type::kB8},          {"f64", Type::kB64},
    {"s32", Type::kB32},    {"s64", Type::kB64},        {"u16", Type::kB16},
    {"s16", Type::kB16},    {"u8", Type::kB8},          {"s8", Type::kB8},
    {"f16", Type::kB16},    {"f16x2", Type::kB32},      {"bf16", Type::kB16},
    {"bf16x2", Type::kB32}, {"b128", Type::kB128},      {"tf32", Type::kB32},
    {"texref", Type::kB64}, {"samplerref", Type::kB64}, {"surfref", Type::kB64}};

// Everything between the state space and the name.
struct Attributes {
  std::optional<Type> type;
  unsigned vector_length = 1;
  uint64_t align = 0;  // 0: the type's own
  bool is_managed = false;
};

Attributes parse_attribute_list(Lexer& lexer) {
  Attributes attributes;
  while (lexer.peek().kind == TokenKind::kDotWord) {
    const std::string_view word = lexer.peek().text;
    if (word == "align") {
      lexer.take();
      attributes.align = parse_count(lexer, kLargestAlign, "the alignment");
      if (!std::has_single_bit(attributes.align)) {
        lexer.fail("alignment " + std::to_string(attributes.align) + " is no power of two");
      }
    } else if (word == "attribute") {
      parse_attributes(lexer, attributes.is_managed);
    } else if (word == "ptr") {  // .ptr .global .align 16: about what the pointer points to
      lexer.take();
      if (lexer.peek().kind == TokenKind::kDotWord && space_from(lexer.peek().text)) lexer.take();
      if (lexer.accept_dot("align")) parse_count(lexer, kLargestAlign, "the alignment of .ptr");
    } else if (word == "v2" || word == "v4" || word == "v8") {
      attributes.vector_length = unsigned(lexer.take().text[1] - '0');
    } else if (const auto type = type_from(word)) {
      lexer.take();
      attributes.type = type;
    } else {
      lexer.fail_expected("a type, .align or a name in this declaration");
    }
  }
  if (!attributes.type) lexer.fail_expected("a type such as .b32 before the name");
  return attributes;
}

void parse_one(Lexer& lexer, const Attributes& attributes, ParseBudget& budget,
               Variable& variable) {
  const int line = lexer.line();
  variable.name = lexer.expect_kind(TokenKind::kWord, "the name of a variable").text;
  const uint64_t element = size_of(*attributes.type);
  ArrayShape shape;
  shape.element_bytes = unsigned(element);
  uint64_t bytes = element * attributes.vector_length;
  if (attributes.vector_length > 1) shape.extents.push_back(attributes.vector_length);
  uint64_t product = bytes;
  std::vector<uint64_t> extents;
  bool is_open = false;  // x[]
  while (lexer.accept('[')) {
    if (extents.size() >= kMostDimensions) lexer.fail("array with more than 8 dimensions");
    if (lexer.accept(']')) {
      if (!extents.empty()) lexer.fail("only the first dimension may be left open");
      is_open = true;
      extents.push_back(0);
      continue;
    }
    const uint64_t extent = parse_count(lexer, kLargestVariable, "the array size");
    lexer.expect(']', "after the array size");
    extents.push_back(extent);
    if (extent > 1) {  // zeros do not count, or x[0][…] could hide an overflow
      if (product > kLargestVariable / extent) {
        throw ParseError(line, variable.name + " is larger than 1 TiB");
      }
      product *= extent;
    }
    bytes *= extent;
  }
  shape.extents.insert(shape.extents.begin(), extents.begin(), extents.end());
  shape.is_open = is_open;
  if (lexer.accept('=')) {
    const uint64_t row_bytes = bytes;  // with an open first dimension: of one row
    const uint64_t rows = parse_initialiser(lexer, shape, budget, variable);
    if (is_open) bytes = row_bytes * rows;
  } else if (is_open) {
    bytes = 0;  // extern .shared x[] or a variadic parameter
  }
  variable.size = bytes;
  variable.align =
      unsigned(attributes.align != 0 ? attributes.align : element * attributes.vector_length);
}

}  // namespace

unsigned size_of(Type type) {
  switch (type) {
    case Type::kPred:
    case Type::kB8:
      return 1;
    case Type::kB16:
      return 2;
    case Type::kB32:
      return 4;
    case Type::kB64:
      return 8;
    case Type::kB128:
      return 16;
  }
  return 0;
}

std::optional<Space> space_from(std::string_view directive) {
  if (directive == "reg") return Space::kReg;
  if (directive == "const") return Space::kConst;
  if (directive == "global" || directive == "tex") return Space::kGlobal;
  if (directive == "local") return Space::kLocal;
  if (directive == "param") return Space::kParam;
  if (directive == "shared") return Space::kShared;
  return std::nullopt;
}

std::optional<Type> type_from(std::string_view directive) {
  for (const NamedType& named : kTypes) {
    if (named.name == directive) return named.type;
  }
  return std::nullopt;
}

void parse_attributes(Lexer& lexer, bool& is_managed) {
  lexer.take();
  lexer.expect('(', "after .attribute");
  do {
    const Token name = lexer.expect_kind(TokenKind::kDotWord, "the name of an attribute");
    is_managed |= name.text == "managed";
    if (lexer.accept('(')) {  // .unified(uuid, uuid)
      do {
        parse_constant(lexer);
      } while (lexer.accept(','));
      lexer.expect(')', "after the arguments of an attribute");
    }
  } while (lexer.accept(','));
  lexer.expect(')', "after .attribute(…");
}

void parse_variables(Lexer& lexer, Space space, bool is_extern, bool only_one, ParseBudget& budget,
                     std::vector<Variable>& into) {
  const Attributes attributes = parse_attribute_list(lexer);
  do {
    Variable variable;
    variable.space = space;
    variable.is_extern = is_extern;
    variable.is_managed = attributes.is_managed;
    parse_one(lexer, attributes, budget, variable);
    into.push_back(std::move(variable));
  } while (!only_one && lexer.accept(','));
}

}  // namespace tcd::emu::ptx
