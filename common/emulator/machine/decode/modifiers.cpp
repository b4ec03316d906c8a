#include "machine/decode/modifiers.h"

#include <algorithm>

#include "machine/program.h"

namespace tcd::emu {

std::optional<TypeName> parse_type(std::string_view text) {
  using K = TypeName::Kind;
  struct Entry {
    std::string_view name;
    TypeName type;
  };
  static constexpr Entry kTypes[] = {
      {"b8", {K::kBits, 8, false}},       {"b16", {K::kBits, 16, false}},
      {"b32", {K::kBits, 32, false}},     {"b64", {K::kBits, 64, false}},
      {"b128", {K::kBits, 128, false}},   {"u8", {K::kUnsigned, 8, false}},
      {"u16", {K::kUnsigned, 16, false}}, {"u32", {K::kUnsigned, 32, false}},
      {"u64", {K::kUnsigned, 64, false}}, {"s8", {K::kSigned, 8, false}},
      {"s16", {K::kSigned, 16, false}},   {"s32", {K::kSigned, 32, false}},
      {"s64", {K::kSigned, 64, false}},   {"u16x2", {K::kUnsigned, 16, true}},
      {"s16x2", {K::kSigned, 16, true}},  {"f16", {K::kFloat, 16, false}},
      {"f16x2", {K::kFloat, 16, true}},   {"f32", {K::kFloat, 32, false}},
      {"f64", {K::kFloat, 64, false}},    {"bf16", {K::kBfloat, 16, false}},
      {"bf16x2", {K::kBfloat, 16, true}}, {"tf32", {K::kTf32, 32, false}},
      {"pred", {K::kPred, 1, false}},     {"e4m3x2", {K::kE4m3, 8, true}},
      {"e5m2x2", {K::kE5m2, 8, true}},    {"e4m3", {K::kE4m3, 8, false}},
      {"e5m2", {K::kE5m2, 8, false}},     {"s4", {K::kSigned, 4, false}},
      {"u4", {K::kUnsigned, 4, false}},
  };
  for (const Entry& e : kTypes) {
    if (e.name == text) return e.type;
  }
  return std::nullopt;
}

bool Modifiers::take(std::string_view name) {
  for (size_t i = 0; i < taken_.size(); ++i) {
    if (!taken_[i] && in_.modifiers[i] == name) {
      taken_[i] = true;
      return true;
    }
  }
  return false;
}

int Modifiers::take_one_of(std::initializer_list<std::string_view> names) {
  int place = 0;
  for (std::string_view name : names) {
    if (take(name)) return place;
    ++place;
  }
  return -1;
}

void Modifiers::ignore(std::initializer_list<std::string_view> names) {
  for (std::string_view name : names) take(name);
}

std::optional<TypeName> Modifiers::take_type() {
  for (size_t i = 0; i < taken_.size(); ++i) {
    if (taken_[i]) continue;
    if (const auto type = parse_type(in_.modifiers[i])) {
      taken_[i] = true;
      return type;
    }
  }
  return std::nullopt;
}

TypeName Modifiers::need_type() {
  if (const auto type = take_type()) return *type;
  throw DecodeError{Fault::kUnsupported, "unsupported instruction: " + in_.opcode +
                                             " without a type, PTX line " +
                                             std::to_string(in_.ptx_line)};
}

bool Modifiers::take_prefix(std::string_view prefix, std::string* rest) {
  for (size_t i = 0; i < taken_.size(); ++i) {
    if (taken_[i] || !in_.modifiers[i].starts_with(prefix)) continue;
    taken_[i] = true;
    if (rest != nullptr) *rest = in_.modifiers[i].substr(prefix.size());
    return true;
  }
  return false;
}

bool Modifiers::has(std::string_view name) const {
  return std::find(in_.modifiers.begin(), in_.modifiers.end(), name) != in_.modifiers.end();
}

std::string Modifiers::untaken() const {
  std::string text;
  for (size_t i = 0; i < taken_.size(); ++i) {
    if (!taken_[i]) text += "." + in_.modifiers[i];
  }
  return text;
}

}  // namespace tcd::emu
