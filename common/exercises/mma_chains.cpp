// How many mma stand without a branch among them, and how far behind the last one that it waits for
// each of them comes. An mma waits for another when an operand comes from it, directly or by way of
// other instructions; a warp issues in order, so the order of the text counts. A loop's body is
// walked twice, for what one trip hands to the next.
#include <algorithm>
#include <limits>
#include <unordered_map>

#include "exercises/limits.h"
#include "ptx/basic_blocks.h"

namespace tcd::exercises {
namespace {

using emu::ptx::Function;
using emu::ptx::Instruction;
using emu::ptx::Operand;

constexpr int kFar = std::numeric_limits<int>::max();

struct Block {
  int mmas = 0;
  int closest = kFar;  // from an mma to one that it waits for, counted in mma
};

template <class Visit>
void each_register(const Operand& operand, const Visit& visit) {
  if (operand.reg >= 0) visit(operand.reg);
  for (const Operand& element : operand.elements) each_register(element, visit);
}

Block look_at(const Function& function, const emu::ptx::FlowGraph& graph, size_t number) {
  const emu::ptx::BasicBlock& part = graph.blocks[number];
  const bool loops = std::find(part.successors.begin(), part.successors.end(),
                               static_cast<int>(number)) != part.successors.end();
  Block block;
  std::unordered_map<int, int> last_mma;  // register → number of the last mma its value waited for
  int issued = 0;
  for (int trip = 0; trip < (loops ? 2 : 1); ++trip) {
    for (int i = part.first; i < part.last; ++i) {
      const Instruction& in = function.body[static_cast<size_t>(i)];
      int waits_for = 0;
      for (size_t o = 1; o < in.operands.size(); ++o) {
        each_register(in.operands[o],
                      [&](int reg) { waits_for = std::max(waits_for, last_mma[reg]); });
      }
      if (in.opcode == "mma") {
        ++issued;
        if (waits_for > 0) block.closest = std::min(block.closest, issued - waits_for);
        waits_for = issued;
      }
      if (in.operands.empty() || in.operands[0].kind == Operand::Kind::kAddress) continue;
      each_register(in.operands[0], [&](int reg) { last_mma[reg] = waits_for; });
    }
    if (trip == 0) block.mmas = issued;
  }
  return block;
}

Block busiest_block(const Manifest& manifest, const emu::ptx::Module& module) {
  Block busiest;
  for (const Function& function : module.functions) {
    if (function.is_entry && function.name != manifest.kernel) continue;  // a decoy does not run
    const auto graph = emu::ptx::build_flow_graph(function);
    for (size_t number = 0; number < graph.blocks.size(); ++number) {
      const Block block = look_at(function, graph, number);
      if (block.mmas > busiest.mmas) busiest = block;
    }
  }
  return busiest;
}

}  // namespace

std::vector<GateResult> judge_mma_chains(const Manifest& manifest, const emu::ptx::Module& module) {
  if (!manifest.mma) return {};
  const auto& [in_a_row, apart, why] = *manifest.mma;
  const Block block = busiest_block(manifest, module);
  const std::string count = std::to_string(block.mmas) + " mma without a branch among them";
  const std::string distance =
      block.closest == kFar
          ? "none waits for another"
          : "one waits for the " + (block.closest == 1
                                        ? std::string("last one issued")
                                        : "one " + std::to_string(block.closest) + " before it");
  std::vector<GateResult> gates;
  const auto judge = [&](const char* name, bool passed, const std::string& is, int bar) {
    gates.push_back(
        passed ? GateResult::pass(name, block.mmas, is)
               : GateResult::fail(name, std::max(block.mmas, 1),
                                  {is + "; the bar is at least " + std::to_string(bar), why}));
  };
  judge("mma apart", block.closest >= apart, count + ", and " + distance, apart);
  judge("mma in a row", block.mmas >= in_a_row, count, in_a_row);
  return gates;
}

}  // namespace tcd::exercises
