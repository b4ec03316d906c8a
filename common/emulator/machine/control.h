// Handlers that steer: branches, calls, exits, barriers, and what talks to the host. The same for
// every instruction set.
#pragma once

#include "machine/micro_op.h"

namespace tcd::emu {

const MicroOp* run_guarded(Warp& warp, const MicroOp* op, uint32_t);  // MicroOp::fast with a guard
HandlerPair control_handler(Micro micro);  // {nullptr, nullptr}: not a control operation

}  // namespace tcd::emu
