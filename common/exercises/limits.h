// What a submission may cost and which instructions it must or must not have. Each bar is a gate
// with a name of its own.
#pragma once

#include <vector>

#include "exercises/manifest.h"
#include "exercises/workbench.h"
#include "gates/result.h"
#include "ptx/ast.h"

namespace tcd::exercises {

std::vector<GateResult> judge_ptx(const Manifest& manifest, const emu::ptx::Module& module);
// Of each rule that wants a number, where the instruction is there with another one: two lines. It
// may be why a gate fails, and then says more than the gate does.
std::vector<std::string> wrong_numbers(const Manifest& manifest, const emu::ptx::Module& module);
std::vector<GateResult> judge_mma_chains(const Manifest& manifest, const emu::ptx::Module& module);
std::string name_of(const CounterBar& bar);  // of its gate
std::vector<GateResult> judge_counters(const Manifest& manifest,
                                       const emu::LaunchCounters& counters);
std::vector<GateResult> judge_shared_memory(const Manifest& manifest, const Workbench& bench);

}  // namespace tcd::exercises
