#include "ptx/control_flow.h"

#include "ptx/basic_blocks.h"
#include "ptx/block_order.h"

namespace tcd::emu::ptx {
namespace {

class Scheduler {
 public:
  explicit Scheduler(const Function& function)
      : function_(function),
        graph_(build_flow_graph(function)),
        entries_(order_blocks(graph_).entries),
        entry_of_block_(graph_.blocks.size(), 0),
        landing_of_loop_(graph_.blocks.size(), -1) {
    for (int e = 0; e < int(entries_.size()); ++e) {
      const int entry = entries_[size_t(e)];
      if (entry >= 0) {
        entry_of_block_[size_t(entry)] = e;
      } else {
        landing_of_loop_[size_t(-1 - entry)] = e;
      }
    }
  }

  Schedule run() {
    for (int e = 0; e < int(entries_.size()); ++e) {
      first_step_.push_back(int(schedule_.steps.size()));
      const int entry = entries_[size_t(e)];
      if (entry < 0) {
        schedule_.steps.push_back({-1, entry_of_block_[size_t(-1 - entry)]});
      } else {
        emit_block(entry, e);
      }
    }
    first_step_.push_back(int(schedule_.steps.size()));
    // Targets were entries so far, because the steps of later entries were not known.
    for (Step& step : schedule_.steps) {
      const bool is_table = step.instruction >= 0 && is_brx(step.instruction);
      if (step.target >= 0 && !is_table) step.target = first_step_[size_t(step.target)];
    }
    for (std::vector<int>& table : schedule_.tables) {
      for (int& target : table) target = first_step_[size_t(target)];
    }
    return std::move(schedule_);
  }

 private:
  bool is_brx(int instruction) const { return function_.body[size_t(instruction)].opcode == "brx"; }

  // The entry where control lands that goes from entry `from` to `block`. The end of the function
  // is the entry behind the last.
  int landing(int from, int block) const {
    if (block == int(graph_.blocks.size())) return int(entries_.size());
    const int header = entry_of_block_[size_t(block)];
    const int loop_end = landing_of_loop_[size_t(block)];
    return loop_end >= 0 && header <= from && from <= loop_end ? loop_end : header;
  }

  void emit_block(int block_index, int e) {
    const BasicBlock& block = graph_.blocks[size_t(block_index)];
    for (int i = block.first; i < block.last; ++i) schedule_.steps.push_back({i, -1});
    Step& last = schedule_.steps.back();
    const Instruction& instruction = function_.body[size_t(last.instruction)];
    const auto land = [&](int target) { return landing(e, graph_.block_of[size_t(target)]); };
    if (instruction.opcode == "bra" && !instruction.operands.empty()) {
      last.target = land(instruction.operands[0].target);
    } else if (instruction.opcode == "brx" && instruction.operands.size() == 2) {
      const int table = instruction.operands[1].target;
      if (table >= 0) {
        last.target = int(schedule_.tables.size());
        std::vector<int>& targets = schedule_.tables.emplace_back();
        for (int target : function_.branch_tables[size_t(table)]) targets.push_back(land(target));
      }
    }
    if (!block.falls_through) return;
    const int next = landing(e, block_index + 1);
    if (next != e + 1) schedule_.steps.push_back({-1, next});
  }

  const Function& function_;
  const FlowGraph graph_;
  const std::vector<int> entries_;
  std::vector<int> entry_of_block_;   // block → index into entries_
  std::vector<int> landing_of_loop_;  // header block → index into entries_, -1: none
  std::vector<int> first_step_;
  Schedule schedule_;
};

}  // namespace

Schedule schedule_for_reconvergence(const Function& function) { return Scheduler(function).run(); }

}  // namespace tcd::emu::ptx
