#include "ptx/link.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace tcd::emu::ptx {
namespace {

using Renames = std::unordered_map<std::string, std::string>;

bool is_definition(const Function& function) { return !function.is_declaration; }
bool is_definition(const Variable& variable) { return !variable.is_extern; }

void rename(std::string& name, const Renames& renames) {
  const auto found = renames.find(name);
  if (found != renames.end()) name = found->second;
}

void rename(Operand& operand, const Renames& renames) {
  rename(operand.symbol, renames);
  for (Operand& element : operand.elements) rename(element, renames);
}

void rename(Variable& variable, const Renames& renames) {
  rename(variable.name, renames);
  for (Variable::Relocation& relocation : variable.relocations) {
    rename(relocation.symbol, renames);
  }
}

class Linker {
 public:
  Module link(std::vector<Module> modules) {
    for (const Module& module : modules) {
      for (const Function& f : module.functions) note_shared_name(f.name, f.linkage);
      for (const Variable& v : module.variables) note_shared_name(v.name, v.linkage);
    }
    for (Module& module : modules) add(std::move(module));
    return std::move(result_);
  }

 private:
  void note_shared_name(const std::string& name, Linkage linkage) {
    if (linkage != Linkage::kLocal) shared_names_.insert(name);
  }

  void add(Module&& module) {
    ++modules_;
    std::tie(result_.version_major, result_.version_minor) =
        std::max(std::pair(result_.version_major, result_.version_minor),
                 std::pair(module.version_major, module.version_minor));
    result_.target = std::max(result_.target, module.target);
    const Renames renames = names_taken_before(module);
    const std::vector<int> files = add_files(module);
    for (Variable& variable : module.variables) {
      rename(variable, renames);
      add_symbol(std::move(variable), result_.variables, variable_index_);
    }
    for (Function& function : module.functions) {
      rename_in(function, renames);
      renumber_files(function, files);
      add_symbol(std::move(function), result_.functions, function_index_);
    }
  }

  // A local name that was used already, or that means something to all modules. The suffix is one
  // that demanglers know: "helper(float) [clone .m2]".
  Renames names_taken_before(const Module& module) {
    Renames renames;
    const auto look_at = [&](const std::string& name, Linkage linkage) {
      if (linkage != Linkage::kLocal) return;
      if (shared_names_.contains(name) || !local_names_.insert(name).second) {
        renames[name] = name + ".m" + std::to_string(modules_);
      }
    };
    for (const Function& function : module.functions) {
      if (is_definition(function)) look_at(function.name, function.linkage);
    }
    for (const Variable& variable : module.variables) look_at(variable.name, variable.linkage);
    return renames;
  }

  // Variables of a function live in shared or global memory under their names, too. Those of its
  // stack and parameters are its own affair, and hide what the module calls the same.
  void rename_in(Function& function, Renames renames) {
    for (const auto* own : {&function.params, &function.returns, &function.variables}) {
      for (const Variable& variable : *own) renames.erase(variable.name);
    }
    for (Variable& variable : function.variables) {
      if (variable.space == Space::kLocal || variable.space == Space::kParam) continue;
      if (variable.is_extern || local_names_.insert(variable.name).second) continue;
      renames[variable.name] =
          variable.name + ".m" + std::to_string(modules_) + "." + std::to_string(++suffix_);
    }
    rename(function.name, renames);
    for (Variable& variable : function.variables) rename(variable, renames);
    for (Instruction& instruction : function.body) {
      for (Operand& operand : instruction.operands) rename(operand, renames);
    }
  }

  std::vector<int> add_files(const Module& module) {
    std::vector<int> numbers(module.files.size(), 0);
    if (result_.files.empty()) result_.files.emplace_back();
    for (size_t i = 1; i < module.files.size(); ++i) {
      const auto [at, is_new] = file_index_.try_emplace(module.files[i], result_.files.size());
      if (is_new) result_.files.push_back(module.files[i]);
      numbers[i] = static_cast<int>(at->second);
    }
    return numbers;
  }

  static void renumber_files(Function& function, const std::vector<int>& numbers) {
    const auto renumber = [&](int& file) {
      file = file >= 0 && static_cast<size_t>(file) < numbers.size()
                 ? numbers[static_cast<size_t>(file)]
                 : 0;
    };
    for (Instruction& instruction : function.body) {
      renumber(instruction.location.file);
      for (FunctionCallSite& site : instruction.location.inlined_at) renumber(site.file);
    }
  }

  template <typename Symbol>
  void add_symbol(Symbol&& symbol, std::vector<Symbol>& all,
                  std::unordered_map<std::string, size_t>& index) {
    const auto [at, is_new] = index.try_emplace(symbol.name, all.size());
    if (is_new) {
      all.push_back(std::move(symbol));
      return;
    }
    Symbol& known = all[at->second];
    if (!is_definition(symbol)) return;
    if (is_definition(known)) {
      if (symbol.linkage == Linkage::kWeak) return;
      if (symbol.linkage == Linkage::kCommon && !is_larger(symbol, known)) return;
      if (known.linkage == symbol.linkage && symbol.linkage != Linkage::kCommon) {
        throw LinkError("two linked modules define " + symbol.name.substr(0, 200));
      }
    }
    known = std::move(symbol);
  }

  static bool is_larger(const Variable& one, const Variable& other) {
    return other.linkage == Linkage::kCommon && one.size > other.size;
  }
  static bool is_larger(const Function&, const Function&) { return false; }

  Module result_;
  int modules_ = 0, suffix_ = 0;
  std::unordered_set<std::string> shared_names_, local_names_;
  std::unordered_map<std::string, size_t> function_index_, variable_index_, file_index_;
};

}  // namespace

Module link(std::vector<Module> modules) {
  if (modules.size() == 1) return std::move(modules.front());
  return Linker().link(std::move(modules));
}

}  // namespace tcd::emu::ptx
