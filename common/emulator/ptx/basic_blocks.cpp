#include "ptx/basic_blocks.h"

#include <algorithm>

namespace tcd::emu::ptx {
namespace {

bool ends_block(const Instruction& instruction) {
  const std::string& op = instruction.opcode;
  return op == "bra" || op == "brx" || op == "ret" || op == "exit" || op == "trap";
}

// Instruction indices a taken branch may reach.
std::vector<int> branch_targets(const Function& function, const Instruction& instruction) {
  if (instruction.opcode == "bra" && !instruction.operands.empty()) {
    return {instruction.operands[0].target};
  }
  if (instruction.opcode == "brx" && instruction.operands.size() == 2) {
    const int table = instruction.operands[1].target;
    if (table >= 0) return function.branch_tables[size_t(table)];
  }
  return {};
}

}  // namespace

FlowGraph build_flow_graph(const Function& function) {
  const int size = int(function.body.size());
  std::vector<bool> starts_block(size_t(size) + 1, false);
  starts_block[0] = true;
  for (int i = 0; i < size; ++i) {
    const Instruction& instruction = function.body[size_t(i)];
    if (!ends_block(instruction)) continue;
    starts_block[size_t(i) + 1] = true;
    for (int target : branch_targets(function, instruction)) starts_block[size_t(target)] = true;
  }

  FlowGraph graph;
  graph.block_of.resize(size_t(size) + 1);
  for (int i = 0; i < size; ++i) {
    if (starts_block[size_t(i)]) {
      graph.blocks.emplace_back();
      graph.blocks.back().first = i;
    }
    graph.blocks.back().last = i + 1;
    graph.block_of[size_t(i)] = int(graph.blocks.size()) - 1;
  }
  const int count = int(graph.blocks.size());
  graph.block_of[size_t(size)] = count;

  for (int b = 0; b < count; ++b) {
    BasicBlock& block = graph.blocks[size_t(b)];
    const Instruction& last = function.body[size_t(block.last) - 1];
    block.falls_through = !ends_block(last) || last.guard >= 0;
    if (ends_block(last)) {
      for (int target : branch_targets(function, last)) {
        block.successors.push_back(graph.block_of[size_t(target)]);
      }
    }
    std::sort(block.successors.begin(), block.successors.end());
    block.successors.erase(std::unique(block.successors.begin(), block.successors.end()),
                           block.successors.end());
    std::erase(block.successors, count);
    if (block.falls_through && b + 1 < count) {
      std::erase(block.successors, b + 1);
      block.successors.push_back(b + 1);
    }
  }
  return graph;
}

}  // namespace tcd::emu::ptx
