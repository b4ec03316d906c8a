#include "ptx/tests/flow_simulator.h"

#include <algorithm>
#include <cstddef>

namespace tcd::emu::ptx {
namespace {

FlowRun empty_run(const Function& function) {
  FlowRun run;
  run.executions.resize(function.body.size());
  run.traces.resize(size_t(kSimulatedLanes));
  return run;
}

bool ends_lane(const Instruction& instruction) {
  return instruction.opcode == "ret" || instruction.opcode == "exit" ||
         instruction.opcode == "trap";
}

// What a lane does at an instruction: -1 goes on, -2 leaves, otherwise the entry taken of the
// branch's targets (0 for bra).
int decide(const Instruction& instruction, size_t table_size, uint64_t hash) {
  const bool is_active = instruction.guard < 0 || hash % 2 == 0;
  if (!is_active) return -1;
  if (ends_lane(instruction)) return -2;
  if (instruction.opcode == "bra") return 0;
  if (instruction.opcode == "brx") return int(hash / 2 % table_size);
  return -1;
}

size_t table_size(const Function& function, const Instruction& instruction) {
  if (instruction.opcode != "brx") return 1;
  return function.branch_tables[size_t(instruction.operands[1].target)].size();
}

// Instruction a lane goes to next; body.size() is the end. `size` when it leaves.
int next_instruction(const Function& function, int at, int lane, Decisions& decisions) {
  const Instruction& instruction = function.body[size_t(at)];
  const int what = decide(instruction, table_size(function, instruction), decisions.next(lane, at));
  if (what == -1) return at + 1;
  if (what == -2) return int(function.body.size());
  if (instruction.opcode == "bra") return instruction.operands[0].target;
  return function.branch_tables[size_t(instruction.operands[1].target)][size_t(what)];
}

// Immediate post-dominators by sets, straight from the definition. blocks.size() is the exit.
std::vector<int> immediate_post_dominators(const FlowGraph& graph, const Function& function) {
  const size_t count = graph.blocks.size();
  std::vector<std::vector<bool>> sets(count + 1, std::vector<bool>(count + 1, true));
  sets[count].assign(count + 1, false);
  sets[count][count] = true;
  for (bool is_changed = true; is_changed;) {
    is_changed = false;
    for (size_t b = count; b-- > 0;) {
      const BasicBlock& block = graph.blocks[b];
      std::vector<int> successors = block.successors;
      const Instruction& last = function.body[size_t(block.last) - 1];
      if (ends_lane(last) || (block.falls_through && b + 1 == count)) {
        successors.push_back(int(count));
      }
      std::vector<bool> set(count + 1, true);
      for (int s : successors) {
        for (size_t i = 0; i <= count; ++i) set[i] = set[i] && sets[size_t(s)][i];
      }
      set[b] = true;
      if (set != sets[b]) {
        sets[b] = set;
        is_changed = true;
      }
    }
  }
  std::vector<int> result(count + 1, int(count));
  for (size_t b = 0; b < count; ++b) {
    // The closest one: the post-dominator that is itself post-dominated by all the others.
    size_t best_size = 0;
    for (size_t p = 0; p <= count; ++p) {
      if (p == b || !sets[b][p]) continue;
      const auto size = size_t(std::count(sets[p].begin(), sets[p].end(), true));
      if (size > best_size) {
        best_size = size;
        result[b] = int(p);
      }
    }
  }
  return result;
}

}  // namespace

FlowRun run_lanes_alone(const Function& function, uint64_t seed) {
  FlowRun run = empty_run(function);
  Decisions decisions(function, seed);
  for (int lane = 0; lane < kSimulatedLanes; ++lane) {
    std::vector<int>& trace = run.traces[size_t(lane)];
    for (int at = 0; at < int(function.body.size()) && trace.size() < kLongestTrace;) {
      trace.push_back(at);
      ++run.executions[size_t(at)];
      at = next_instruction(function, at, lane, decisions);
    }
  }
  return run;
}

FlowRun run_schedule(const Function& function, const Schedule& schedule, uint64_t seed) {
  FlowRun run = empty_run(function);
  Decisions decisions(function, seed);
  const int end = int(schedule.steps.size());
  std::vector<int> position(size_t(kSimulatedLanes), 0);
  for (;;) {
    const int lowest = *std::min_element(position.begin(), position.end());
    if (lowest >= end) return run;
    const Step& step = schedule.steps[size_t(lowest)];
    if (step.instruction >= 0) ++run.executions[size_t(step.instruction)];
    for (int lane = 0; lane < kSimulatedLanes; ++lane) {
      int& at = position[size_t(lane)];
      if (at != lowest) continue;
      if (step.instruction < 0) {
        at = step.target;
        continue;
      }
      const Instruction& instruction = function.body[size_t(step.instruction)];
      run.traces[size_t(lane)].push_back(step.instruction);
      const int what = decide(instruction, table_size(function, instruction),
                              decisions.next(lane, step.instruction));
      if (what == -2 || run.traces[size_t(lane)].size() >= kLongestTrace) {
        at = end;
      } else if (what == -1) {
        ++at;
      } else if (instruction.opcode == "bra") {
        at = step.target;
      } else {
        at = schedule.tables[size_t(step.target)][size_t(what)];
      }
    }
  }
}

FlowRun run_post_dominator_stack(const Function& function, uint64_t seed) {
  struct Entry {
    int block, reconvergence;
    unsigned lanes;
  };
  FlowRun run = empty_run(function);
  Decisions decisions(function, seed);
  const FlowGraph graph = build_flow_graph(function);
  const std::vector<int> post_dominator = immediate_post_dominators(graph, function);
  const int end = int(graph.blocks.size());
  std::vector<Entry> stack = {{0, end, (1u << kSimulatedLanes) - 1}};
  unsigned gone = 0;
  while (!stack.empty()) {
    Entry& top = stack.back();
    top.lanes &= ~gone;
    if (top.block == top.reconvergence || top.block == end || top.lanes == 0) {
      stack.pop_back();
      continue;
    }
    const int block_index = top.block;
    const BasicBlock& block = graph.blocks[size_t(block_index)];
    std::vector<unsigned> goes_to(size_t(end) + 1, 0);
    for (int i = block.first; i < block.last; ++i) {
      if ((top.lanes & ~gone) != 0) ++run.executions[size_t(i)];
      for (int lane = 0; lane < kSimulatedLanes; ++lane) {
        if ((top.lanes & ~gone & (1u << lane)) == 0) continue;
        run.traces[size_t(lane)].push_back(i);
        const int next = next_instruction(function, i, lane, decisions);
        if (run.traces[size_t(lane)].size() >= kLongestTrace) {
          gone |= 1u << lane;
        } else if (i + 1 == block.last) {
          goes_to[size_t(graph.block_of[size_t(next)])] |= 1u << lane;
        }
      }
    }
    // The entry becomes the reconvergence point; one entry per way out goes on top.
    const auto ways =
        std::count_if(goes_to.begin(), goes_to.end(), [](unsigned lanes) { return lanes != 0; });
    if (ways <= 1) {
      const auto way =
          std::find_if(goes_to.begin(), goes_to.end(), [](unsigned lanes) { return lanes != 0; });
      top.block = way == goes_to.end() ? end : int(way - goes_to.begin());
      continue;
    }
    const int meet = post_dominator[size_t(block_index)];
    top.block = meet;
    for (int b = 0; b <= end; ++b) {
      const unsigned lanes = goes_to[size_t(b)];
      if (lanes != 0 && b != meet) stack.push_back({b, meet, lanes});
    }
  }
  return run;
}

Schedule schedule_as_written(const Function& function) {
  Schedule schedule;
  for (int i = 0; i < int(function.body.size()); ++i) {
    const Instruction& instruction = function.body[size_t(i)];
    Step step{i, -1};
    if (instruction.opcode == "bra") step.target = instruction.operands[0].target;
    if (instruction.opcode == "brx") {
      step.target = int(schedule.tables.size());
      schedule.tables.push_back(function.branch_tables[size_t(instruction.operands[1].target)]);
    }
    schedule.steps.push_back(step);
  }
  return schedule;
}

}  // namespace tcd::emu::ptx
