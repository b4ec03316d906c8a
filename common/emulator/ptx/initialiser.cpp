#include "ptx/initialiser.h"

#include <bit>

#include "ptx/constant_expression.h"
#include "ptx/parser.h"

namespace tcd::emu::ptx {
namespace {

constexpr unsigned kAddressBytes = 8;

class Initialiser {
 public:
  Initialiser(Lexer& lexer, const ArrayShape& shape, ParseBudget& budget, Variable& variable)
      : lexer_(lexer), shape_(shape), budget_(budget), variable_(variable) {}

  uint64_t parse() {
    const uint64_t count = level(0, 0);
    if (mask_bytes_ != 0 && mask_bytes_ != kAddressBytes) fail_partial_mask();
    return count;
  }

 private:
  // Bytes of one element at nesting `depth` (0: the whole variable).
  uint64_t stride(size_t depth) const {
    uint64_t bytes = shape_.element_bytes;
    for (size_t i = depth; i < shape_.extents.size(); ++i) bytes *= shape_.extents[i];
    return bytes;
  }

  // Returns how many entries of dimension `depth` were given.
  uint64_t level(size_t depth, uint64_t offset) {
    if (depth == shape_.extents.size()) {
      const bool is_braced = lexer_.accept('{');  // { 5 } for a scalar
      element(offset);
      if (is_braced) lexer_.expect('}', "after the initial value");
      return 1;
    }
    lexer_.expect('{', "at the start of an array initialiser");
    const bool is_open = depth == 0 && shape_.is_open;
    const uint64_t extent = is_open ? budget_.initial_bytes : shape_.extents[depth];
    // C allows the inner braces to be left out; then the values simply follow each other.
    const bool is_flat = depth + 1 < shape_.extents.size() && !lexer_.at('{') && !lexer_.at('}');
    const uint64_t step = is_flat ? shape_.element_bytes : stride(depth + 1);
    const uint64_t room = is_flat && !is_open ? stride(depth) / shape_.element_bytes : extent;
    uint64_t count = 0;
    if (!lexer_.at('}')) {
      do {
        if (lexer_.at('}')) break;  // a trailing comma
        if (count >= room) {
          lexer_.fail("more initial values than the " + std::to_string(room) + " elements of " +
                      variable_.name);
        }
        if (is_flat) {
          element(offset + count * step);
        } else {
          level(depth + 1, offset + count * step);
        }
        ++count;
      } while (lexer_.accept(','));
    }
    lexer_.expect('}', "at the end of an array initialiser");
    if (!is_flat) return count;
    const uint64_t row = stride(depth + 1);
    return row == 0 ? 0 : (count * step + row - 1) / row;
  }

  std::byte* reserve(uint64_t offset, uint64_t bytes) {
    const uint64_t needed = offset + bytes;
    if (needed > variable_.init.size()) {
      const uint64_t grown = needed - variable_.init.size();
      if (grown > budget_.initial_bytes) {
        lexer_.fail("initial values of this module take more than 64 MiB (at " + variable_.name +
                    ")");
      }
      budget_.initial_bytes -= grown;
      variable_.init.resize(size_t(needed));
    }
    return variable_.init.data() + offset;
  }

  void store(uint64_t offset, uint64_t bits) {
    std::byte* const to = reserve(offset, shape_.element_bytes);
    for (unsigned i = 0; i < shape_.element_bytes && i < 8; ++i) {
      to[i] = std::byte(bits >> (8 * i));
    }
  }

  void element(uint64_t offset) {
    if (lexer_.peek().kind == TokenKind::kWord && !begins_constant(lexer_.peek())) {
      address(offset);
      return;
    }
    const Lexer before = lexer_;
    if (lexer_.peek().kind == TokenKind::kNumber) {
      const Token mask = lexer_.take();
      if (lexer_.at('(')) {  // 0xFF00(generic(x)+4): one byte of an address
        masked_address(offset, parse_literal(mask).bits);
        return;
      }
      lexer_ = before;
    }
    Constant value = parse_constant(lexer_);
    if (value.is_float() && shape_.element_bytes < 4) {
      lexer_.fail("a floating-point value in a variable of " +
                  std::to_string(shape_.element_bytes) + "-byte elements");
    }
    if (value.literal == Operand::Literal::kF64Bits && shape_.element_bytes == 4) {
      value.bits = std::bit_cast<uint32_t>(float(std::bit_cast<double>(value.bits)));
    } else if (value.literal == Operand::Literal::kF32Bits && shape_.element_bytes == 8) {
      value.bits = std::bit_cast<uint64_t>(double(std::bit_cast<float>(uint32_t(value.bits))));
    }
    store(offset, value.bits);
  }

  // x, x+4, generic(x), generic(x)+4
  Variable::Relocation parse_address() {
    Variable::Relocation relocation;
    Token name = lexer_.expect_kind(TokenKind::kWord, "the name of a variable or function");
    if (name.text == "generic" && lexer_.accept('(')) {
      relocation.generic = true;
      name = lexer_.expect_kind(TokenKind::kWord, "the name of a variable in generic(…)");
      lexer_.expect(')', "after generic(…");
    }
    relocation.symbol = name.text;
    if (lexer_.at('+') || lexer_.at('-')) {
      const Constant addend = parse_sum(lexer_);
      if (addend.is_float()) lexer_.fail("a floating-point offset to an address");
      relocation.addend = static_cast<int64_t>(addend.bits);
    }
    return relocation;
  }

  void address(uint64_t offset) {
    if (shape_.element_bytes != kAddressBytes) {
      lexer_.fail("an address takes 8 bytes, " + variable_.name + " has elements of " +
                  std::to_string(shape_.element_bytes));
    }
    Variable::Relocation relocation = parse_address();
    relocation.offset = offset;
    store(offset, 0);
    variable_.relocations.push_back(std::move(relocation));
  }

  void masked_address(uint64_t offset, uint64_t mask) {
    lexer_.expect('(', "after a mask");
    Variable::Relocation relocation = parse_address();
    lexer_.expect(')', "after the address under a mask");
    // nvcc writes all eight bytes in a row; anything else would need a relocation per byte.
    const bool is_first = mask_bytes_ == 0 || mask_bytes_ == kAddressBytes;
    const unsigned byte = is_first ? 0 : mask_bytes_;
    if (shape_.element_bytes != 1 || mask != uint64_t{0xff} << (8 * byte)) fail_partial_mask();
    store(offset, 0);
    if (is_first) {
      relocation.offset = offset;
      variable_.relocations.push_back(std::move(relocation));
      mask_bytes_ = 1;
      return;
    }
    const Variable::Relocation& whole = variable_.relocations.back();
    if (whole.offset + byte != offset || whole.symbol != relocation.symbol ||
        whole.addend != relocation.addend || whole.generic != relocation.generic) {
      fail_partial_mask();
    }
    ++mask_bytes_;
  }

  [[noreturn]] void fail_partial_mask() const {
    lexer_.fail("address masks are understood as eight bytes in a row, 0xFF(x), 0xFF00(x), …; " +
                variable_.name + " has something else");
  }

  Lexer& lexer_;
  const ArrayShape& shape_;
  ParseBudget& budget_;
  Variable& variable_;
  unsigned mask_bytes_ = 0;  // bytes of the last masked address seen so far
};

}  // namespace

uint64_t parse_initialiser(Lexer& lexer, const ArrayShape& shape, ParseBudget& budget,
                           Variable& variable) {
  return Initialiser(lexer, shape, budget, variable).parse();
}

}  // namespace tcd::emu::ptx
