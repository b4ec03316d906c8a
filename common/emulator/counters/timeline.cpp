#include "counters/timeline.h"

#include <algorithm>

#include "machine/control.h"
#include "machine/micro_list.h"

namespace tcd::emu {
namespace {

bool has(const ptx::Instruction& in, const char* modifier) {
  return std::find(in.modifiers.begin(), in.modifiers.end(), modifier) != in.modifiers.end();
}

Step step_of(const ptx::Instruction& in) {
  if (in.opcode == "mma") return Step::kMma;
  if (in.opcode == "ldmatrix") return Step::kMatrixLoad;
  if (in.opcode == "bar" || in.opcode == "barrier") {
    return has(in, "warp") ? Step::kOther : Step::kBarrier;
  }
  if (in.opcode != "cp" || has(in, "mbarrier")) return Step::kOther;
  if (has(in, "commit_group")) return Step::kCommit;
  return has(in, "wait_group") || has(in, "wait_all") ? Step::kWait : Step::kCopy;
}

}  // namespace

const char* name_of(Step step) {
  constexpr const char* kNames[] = {"none", "other",   "cp.async", "commit",
                                    "wait", "barrier", "ldmatrix", "mma"};
  return kNames[static_cast<size_t>(step)];
}

// One step for each operation: of several of one instruction the first stands for it, and a jump or
// a return that the decoder added for none.
const std::vector<Step>& Timeline::steps_of(const Code& code) {
  const auto [at, is_new] = steps_.try_emplace(&code);
  if (!is_new) return at->second;
  const Handler jump = control_handler(Micro::goto_).full;
  const std::vector<ptx::Instruction>& body = code.function->body;
  uint32_t last = ~0u;
  for (const MicroOp& op : code.ops) {
    const bool ours = op.fast == jump || op.source >= body.size();
    at->second.push_back(ours || op.source == last ? Step::kNone : step_of(body[op.source]));
    if (!ours) last = op.source;
  }
  return at->second;
}

void Timeline::note(uint32_t warp, const Code& code, const MicroOp& op, bool runs) {
  const Step step = steps_of(code)[static_cast<size_t>(&op - code.ops.data())];
  if (step == Step::kNone) return;
  Next& next = next_[warp];
  const uint64_t instruction = next.instruction++;
  if (step == Step::kOther || !runs) return;
  const int64_t pending = step == Step::kWait ? op.imm : 0;
  if (next.run < runs_.size() && runs_[next.run].step == step && step != Step::kWait) {
    runs_[next.run].last = instruction;
    ++runs_[next.run].count;
    return;
  }
  next.run = runs_.size();
  runs_.push_back({warp, step, pending, instruction, instruction, 1});
}

}  // namespace tcd::emu
