// Runs control flow with a few lanes: in the scheduled order, by the textbook's post-dominator
// stack, and lane by lane. Only branches mean anything; their outcome is a hash.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/ast.h"
#include "ptx/basic_blocks.h"
#include "ptx/control_flow.h"

namespace tcd::emu::ptx {

constexpr int kSimulatedLanes = 4;

struct FlowRun {
  std::vector<int> executions;           // per instruction: by how many groups of lanes it was run
  std::vector<std::vector<int>> traces;  // per lane: the instructions it ran
  long total() const {
    long sum = 0;
    for (int n : executions) sum += n;
    return sum;
  }
};

// The outcome of a branch: depends on the lane, the instruction and how often the lane was there,
// so it is the same in every way of running.
class Decisions {
 public:
  Decisions(const Function& function, uint64_t seed)
      : visits_(size_t(kSimulatedLanes), std::vector<int>(function.body.size(), 0)), seed_(seed) {}
  uint64_t next(int lane, int instruction) {
    const auto visit = uint64_t(visits_[size_t(lane)][size_t(instruction)]++);
    uint64_t x = seed_ + 0x9e3779b97f4a7c15u * (uint64_t(lane) + 1) +
                 0xc2b2ae3d27d4eb4fu * (uint64_t(instruction) + 1) +
                 0x165667b19e3779f9u * (visit + 1);
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }

 private:
  std::vector<std::vector<int>> visits_;
  uint64_t seed_;
};

// A lane gives up after this many instructions: random graphs may never end.
constexpr size_t kLongestTrace = 400;

// Each lane on its own, in the order of the text.
FlowRun run_lanes_alone(const Function& function, uint64_t seed);

// "Run the lanes with the lowest position" over the steps of a schedule.
FlowRun run_schedule(const Function& function, const Schedule& schedule, uint64_t seed);

// The stack of (block, reconvergence block, lanes) that textbooks describe.
FlowRun run_post_dominator_stack(const Function& function, uint64_t seed);

// What a schedule must not be: the text's own order.
Schedule schedule_as_written(const Function& function);

}  // namespace tcd::emu::ptx
