// The control-flow graph of one function.
#pragma once

#include <vector>

#include "ptx/ast.h"

namespace tcd::emu::ptx {

struct BasicBlock {
  int first = 0;  // instructions [first, last)
  int last = 0;
  // Where control goes. The block that follows in the text comes last when it is a successor. The
  // end of the function is not listed.
  std::vector<int> successors;
  bool falls_through = false;  // into block + 1, or off the end of the function
};

struct FlowGraph {
  std::vector<BasicBlock> blocks;  // in the order of the text; block 0 is the entry
  std::vector<int> block_of;       // instruction → block; block_of[body.size()] = blocks.size()
};

FlowGraph build_flow_graph(const Function& function);

}  // namespace tcd::emu::ptx
