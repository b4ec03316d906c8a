// An order of one function's instructions that makes lock-step execution reconverge.
#pragma once

#include <vector>

#include "ptx/ast.h"

namespace tcd::emu::ptx {

// One position of the code as it is run. What does not jump goes on at the next step.
struct Step {
  int instruction = -1;  // index into Function::body; -1: no PTX instruction, a jump to `target`
  // Where a taken `bra`, or such a jump, lands: an index into Schedule::steps. For `brx` an index
  // into Schedule::tables. steps.size() is the end of the function. -1: does not branch.
  int target = -1;
};

struct Schedule {
  std::vector<Step> steps;
  std::vector<std::vector<int>> tables;  // one a brx instruction: the step of each entry
};

// Basic blocks are permuted so that (1) a block comes before its immediate post-dominator, (2) the
// blocks of a loop are contiguous, and every block the loop exits to comes after all of them. With
// that order "always run the lanes with the lowest position" reconverges diverged lanes at the
// post-dominator, or earlier.
//
// Jumps are added in two places. Where the block that used to follow does not follow any more, a
// jump leads there. And a loop that is continued from several places gets one jump to its header
// at its end, where all of them land: lanes that `continue` early wait there for the others.
//
// Instructions inside a block keep their order; each appears exactly once; unreachable blocks go
// last. `call` ends no block; `bra`, `brx`, `ret`, `exit` and `trap` do. Any control flow is
// accepted; in a loop with several entries lanes may reconverge late, but run correctly.
Schedule schedule_for_reconvergence(const Function& function);

}  // namespace tcd::emu::ptx
