// `__managed__` variables: one storage, one address, for host code and kernels alike.
#pragma once

#include <vector>

#include "ptx/ast.h"
#include "runtime/loaded_module.h"

namespace tcd::emu::runtime {

// Gives every managed variable host memory, fills it with the module's initial values, stores its
// address where the program looks for it, and replaces the variable's name in all instructions of
// `module` by that address. Costs one walk over the module, only if there is such a variable.
void place_managed_variables(ptx::Module& module, std::vector<ManagedVariable>& variables);
void release_managed_variables(std::vector<ManagedVariable>& variables);

}  // namespace tcd::emu::runtime
