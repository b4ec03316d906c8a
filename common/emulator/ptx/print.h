// An instruction back as text, for messages.
#pragma once

#include <string>

#include "ptx/ast.h"

namespace tcd::emu::ptx {

// "@!%p1 ld.global.v2.f32 {%f1, %f2}, [%rd1+8];" Names are those of the source; constants are
// printed by value: integers in signed decimal, floats as their exact bits (0f…, 0d…).
std::string to_text(const Instruction& instruction, const Function& function);

}  // namespace tcd::emu::ptx
