#include "runtime/managed_variables.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <unordered_map>

#include "runtime/allocations.h"

namespace tcd::emu::runtime {
namespace {

using Addresses = std::unordered_map<std::string, uint64_t>;

void replace_symbol(ptx::Operand& operand, const Addresses& addresses) {
  for (ptx::Operand& element : operand.elements) replace_symbol(element, addresses);
  using Kind = ptx::Operand::Kind;
  if (operand.kind != Kind::kSymbol && operand.kind != Kind::kAddress) return;
  const auto found = addresses.find(operand.symbol);
  if (found == addresses.end()) return;
  operand.symbol.clear();
  operand.imm += found->second;  // symbol + imm → the number
  if (operand.kind == Kind::kSymbol) operand.kind = Kind::kImmediate;
}

// Initial values that hold a managed variable's address: the number is known now.
void replace_relocations(ptx::Variable& variable, const Addresses& addresses) {
  std::erase_if(variable.relocations, [&](const ptx::Variable::Relocation& relocation) {
    const auto found = addresses.find(relocation.symbol);
    if (found == addresses.end()) return false;
    const uint64_t value = found->second + relocation.addend;
    if (variable.init.size() < relocation.offset + sizeof(value)) {
      variable.init.resize(relocation.offset + sizeof(value));
    }
    std::memcpy(variable.init.data() + relocation.offset, &value, sizeof(value));
    return true;
  });
}

}  // namespace

void place_managed_variables(ptx::Module& module, std::vector<ManagedVariable>& variables) {
  if (variables.empty()) return;
  Addresses addresses;
  for (ManagedVariable& variable : variables) {
    variable.storage = static_cast<std::byte*>(
        allocations().allocate_host(variable.bytes, AllocationKind::kManaged, 0));
    std::memset(variable.storage, 0, variable.bytes);
    *variable.host_pointer = variable.storage;
    addresses[variable.name] = reinterpret_cast<uint64_t>(variable.storage);
  }
  for (ptx::Variable& variable : module.variables) {
    replace_relocations(variable, addresses);
    const auto managed =
        std::find_if(variables.begin(), variables.end(),
                     [&](const ManagedVariable& m) { return m.name == variable.name; });
    if (managed == variables.end()) continue;
    std::memcpy(managed->storage, variable.init.data(),
                std::min<uint64_t>(variable.init.size(), managed->bytes));
  }
  for (ptx::Function& function : module.functions) {
    for (ptx::Instruction& instruction : function.body) {
      for (ptx::Operand& operand : instruction.operands) replace_symbol(operand, addresses);
    }
  }
}

void release_managed_variables(std::vector<ManagedVariable>& variables) {
  for (ManagedVariable& variable : variables) {
    if (variable.storage == nullptr) continue;
    allocations().release(variable.storage);
    variable.storage = nullptr;
    *variable.host_pointer = nullptr;
  }
}

}  // namespace tcd::emu::runtime
