// How many mma stand between a label and the next branch, and how long the longest chain among
// them is: an mma waits for another one when an operand comes from it, directly or by way of other
// instructions. In PTX a register is written where its name stands first; what a loop carries from
// one trip to the next makes each chain longer by the same, so the ratio is the block's.
#include <algorithm>
#include <unordered_map>

#include "exercises/limits.h"
#include "ptx/basic_blocks.h"

namespace tcd::exercises {
namespace {

using emu::ptx::Function;
using emu::ptx::Instruction;
using emu::ptx::Operand;

struct Block {
  int mmas = 0, longest_chain = 0;
};

template <class Visit>
void each_register(const Operand& operand, const Visit& visit) {
  if (operand.reg >= 0) visit(operand.reg);
  for (const Operand& element : operand.elements) each_register(element, visit);
}

Block look_at(const Function& function, const emu::ptx::BasicBlock& part) {
  Block block;
  std::unordered_map<int, int> mmas_before;  // register → mma its value waited for
  for (int i = part.first; i < part.last; ++i) {
    const Instruction& in = function.body[static_cast<size_t>(i)];
    int waits = 0;
    for (size_t o = 1; o < in.operands.size(); ++o) {
      each_register(in.operands[o], [&](int reg) { waits = std::max(waits, mmas_before[reg]); });
    }
    if (in.opcode == "mma") {
      ++block.mmas;
      block.longest_chain = std::max(block.longest_chain, ++waits);
    }
    if (in.operands.empty() || in.operands[0].kind == Operand::Kind::kAddress) continue;
    each_register(in.operands[0], [&](int reg) { mmas_before[reg] = waits; });
  }
  return block;
}

Block busiest_block(const Manifest& manifest, const emu::ptx::Module& module) {
  Block busiest;
  for (const Function& function : module.functions) {
    if (function.is_entry && function.name != manifest.kernel) continue;  // a decoy does not run
    for (const auto& part : emu::ptx::build_flow_graph(function).blocks) {
      const Block block = look_at(function, part);
      if (block.mmas > busiest.mmas) busiest = block;
    }
  }
  return busiest;
}

}  // namespace

std::vector<GateResult> judge_mma_chains(const Manifest& manifest, const emu::ptx::Module& module) {
  if (!manifest.mma) return {};
  const auto& [at_least, independent, why] = *manifest.mma;
  const Block block = busiest_block(manifest, module);
  const std::string is = std::to_string(block.mmas) + " mma without a branch among them, " +
                         std::to_string(block.longest_chain) + " in the longest chain";
  std::vector<GateResult> gates;
  const auto judge = [&](const char* name, bool passed, const std::string& bar) {
    gates.push_back(passed ? GateResult::pass(name, block.mmas, is)
                           : GateResult::fail(name, std::max(block.mmas, 1), {is + bar, why}));
  };
  judge("independent mma", block.mmas >= independent * block.longest_chain,
        "; the bar is at most one in " + std::to_string(independent));
  judge("mma in a row", block.mmas >= at_least,
        "; the bar is at least " + std::to_string(at_least));
  return gates;
}

}  // namespace tcd::exercises
