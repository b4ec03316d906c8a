// Orders the blocks of a flow graph: topologically, with every loop contiguous.
#pragma once

#include <vector>

#include "ptx/basic_blocks.h"

namespace tcd::emu::ptx {

struct BlockOrder {
  // A block, or -1 - header: the place where every `continue` of the loop of `header` lands. It
  // stands behind the loop's last block.
  std::vector<int> entries;
};

BlockOrder order_blocks(const FlowGraph& graph);

}  // namespace tcd::emu::ptx
