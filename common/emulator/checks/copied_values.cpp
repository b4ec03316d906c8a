#include "checks/copied_values.h"

#include <algorithm>
#include <vector>

namespace tcd::emu {
namespace {

using ptx::Operand;

bool names(const Operand& o, int reg) {
  return o.reg == reg || std::any_of(o.elements.begin(), o.elements.end(),
                                     [&](const Operand& e) { return names(e, reg); });
}

void add_registers(const Operand& o, std::vector<int>& to) {
  if (o.reg >= 0 && std::find(to.begin(), to.end(), o.reg) == to.end()) to.push_back(o.reg);
  for (const Operand& e : o.elements) add_registers(e, to);
}

// To memory: not to a parameter, which another function computes with.
bool stores_value(const ptx::Instruction& in, size_t operand) {
  if (in.opcode != "st" || operand != 1) return false;
  return std::none_of(in.modifiers.begin(), in.modifiers.end(),
                      [](const std::string& m) { return m.starts_with("param"); });
}

bool has_no_result(const ptx::Instruction& in) { return in.opcode == "st" || in.opcode == "red"; }

}  // namespace

bool is_only_copied(const ptx::Function& function, size_t load) {
  if (load >= function.body.size() || function.body[load].opcode != "ld") return false;
  std::vector<int> values;  // registers that hold what was loaded; moves add to them
  add_registers(function.body[load].operands[0], values);
  bool stored = false;
  for (size_t v = 0; v < values.size(); ++v) {
    for (const ptx::Instruction& in : function.body) {
      for (size_t i = has_no_result(in) || in.opcode == "call" ? 0 : 1; i < in.operands.size();
           ++i) {
        if (!names(in.operands[i], values[v])) continue;
        if (stores_value(in, i)) {
          stored = true;
          continue;
        }
        if (in.opcode != "mov") return false;
        add_registers(in.operands[0], values);
      }
    }
  }
  return stored;
}

}  // namespace tcd::emu
