#include "ptx/scopes.h"

#include <charconv>

#include "ptx/parser.h"

namespace tcd::emu::ptx {

void Scopes::close(Function& function) {
  Scope scope = std::move(scopes_.back());
  scopes_.pop_back();
  for (const PendingLabel& pending : scope.pending) {
    const auto& known = pending.is_table ? scope.tables : scope.labels;
    const auto found = known.find(pending.label);
    if (found == known.end()) {
      if (scopes_.empty()) {
        throw ParseError(pending.line, std::string(pending.is_table ? "branch table " : "label ") +
                                           std::string(pending.label.substr(0, 80)) +
                                           " is not defined in this function");
      }
      scopes_.back().pending.push_back(pending);
    } else if (pending.table >= 0) {
      function.branch_tables[size_t(pending.table)][size_t(pending.slot)] = found->second;
    } else {
      function.body[size_t(pending.instruction)].operands[size_t(pending.operand)].target =
          found->second;
    }
  }
}

bool Scopes::add_range(std::string_view prefix, int first_register, int count) {
  return scopes_.back().ranges.try_emplace(prefix, Range{first_register, count}).second;
}

bool Scopes::add(std::string_view name, Name meaning) {
  return scopes_.back().names.try_emplace(std::string(name), std::move(meaning)).second;
}

bool Scopes::add_label(std::string_view label, int instruction) {
  return scopes_.back().labels.try_emplace(label, instruction).second;
}

bool Scopes::add_table(std::string_view label, int table) {
  return scopes_.back().tables.try_emplace(label, table).second;
}

int Scopes::find_in_ranges(const Scope& scope, std::string_view name) {
  if (scope.ranges.empty()) return -1;
  // "%r12" is element 12 of "%r"; with a prefix that ends in digits it may be element 2 of "%r1".
  size_t first_digit = name.size();
  while (first_digit > 0 && name[first_digit - 1] >= '0' && name[first_digit - 1] <= '9') {
    --first_digit;
  }
  constexpr size_t kMostDigits = 7;  // no range is longer than 10^7
  size_t split = first_digit;
  if (name.size() - split > kMostDigits) split = name.size() - kMostDigits;
  for (; split < name.size(); ++split) {
    if (name[split] == '0' && split + 1 != name.size()) continue;  // %r07 is no element
    const auto found = scope.ranges.find(name.substr(0, split));
    if (found == scope.ranges.end()) continue;
    int index = 0;
    std::from_chars(name.data() + split, name.data() + name.size(), index);
    if (index < found->second.count) return found->second.first_register + index;
  }
  return -1;
}

bool Scopes::find(std::string_view name, Name& meaning) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const int reg = find_in_ranges(*scope, name);
    if (reg >= 0) {
      meaning.kind = Name::Kind::kRegister;
      meaning.reg = reg;
      return true;
    }
    if (scope->names.empty()) continue;
    const auto found = scope->names.find(name);
    if (found != scope->names.end()) {
      meaning = found->second;
      return true;
    }
  }
  return false;
}

}  // namespace tcd::emu::ptx
