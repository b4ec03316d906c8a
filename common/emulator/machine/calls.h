// Handlers of calls to device functions and of the host's services: printf, assert, malloc, free,
// the condition of a graph's node.
#pragma once

#include "machine/micro_op.h"

namespace tcd::emu {

// A call's operands in Code::pool, from MicroOp::extra: callee (index into Program::Impl::codes),
// then the number of arguments and the first row of each, then the same for results.
const MicroOp* call(Warp& warp, const MicroOp* op, uint32_t mask);
const MicroOp* call_indirect(Warp& warp, const MicroOp* op, uint32_t mask);  // a: the address
const MicroOp* ret(Warp& warp, const MicroOp* op, uint32_t mask);
const MicroOp* call_vprintf(Warp& warp, const MicroOp* op, uint32_t mask);
const MicroOp* call_malloc(Warp& warp, const MicroOp* op, uint32_t mask);
const MicroOp* call_free(Warp& warp, const MicroOp* op, uint32_t mask);
const MicroOp* call_set_conditional(Warp& warp, const MicroOp* op, uint32_t mask);
const MicroOp* call_assert_fail(Warp& warp, const MicroOp* op, uint32_t mask);

}  // namespace tcd::emu
