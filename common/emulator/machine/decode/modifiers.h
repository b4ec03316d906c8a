// The modifiers of one instruction, taken one by one. What nobody took is not supported, and the
// message names it: a modifier is never ignored silently.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/ast.h"

namespace tcd::emu {

// An instruction type: u32, f16x2, pred, …
struct TypeName {
  enum class Kind : uint8_t {
    kBits,
    kUnsigned,
    kSigned,
    kFloat,
    kBfloat,
    kTf32,
    kPred,
    kE4m3,
    kE5m2
  };
  Kind kind = Kind::kBits;
  unsigned bits = 32;   // of one element
  bool packed = false;  // x2

  bool is(Kind k, unsigned b) const { return kind == k && bits == b && !packed; }
  bool is_float() const { return kind == Kind::kFloat || kind == Kind::kBfloat; }
  bool is_signed() const { return kind == Kind::kSigned; }
  bool is_half() const { return is_float() && bits == 16; }
  unsigned row_bytes() const { return bits == 64 ? 8 : 4; }
  friend bool operator==(const TypeName&, const TypeName&) = default;
};
std::optional<TypeName> parse_type(std::string_view text);

class Modifiers {
 public:
  explicit Modifiers(const ptx::Instruction& in) : in_(in), taken_(in.modifiers.size(), false) {}

  bool take(std::string_view name);
  // Takes whichever is present and returns its place in the list; -1: none.
  int take_one_of(std::initializer_list<std::string_view> names);
  void ignore(std::initializer_list<std::string_view> names);
  std::optional<TypeName> take_type();  // the first type not yet taken
  TypeName need_type();                 // throws DecodeError when there is none
  bool take_prefix(std::string_view prefix, std::string* rest = nullptr);
  bool has(std::string_view name) const;
  std::string untaken() const;  // ".foo.bar", empty: all taken

 private:
  const ptx::Instruction& in_;
  std::vector<bool> taken_;
};

}  // namespace tcd::emu
