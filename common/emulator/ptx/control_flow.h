// Basic blocks of one function and an order that makes lock-step execution reconverge.
#pragma once

#include <vector>

#include "ptx/ast.h"

namespace tcd::emu::ptx {

// Returns the instruction indices of `function.body` in execution order: basic blocks permuted so
// that (1) a block comes before its immediate post-dominator, (2) the blocks of a loop are
// contiguous and every block the loop exits to comes after all of them. With that order "always
// run the lanes with the lowest position" reconverges diverged lanes at the post-dominator.
// Instructions inside a block keep their order. Unreachable blocks go last.
std::vector<int> reconvergence_order(const Function& function);

// Registers live at entry of a block etc. are not needed: registers are never spilled here.

}  // namespace tcd::emu::ptx
