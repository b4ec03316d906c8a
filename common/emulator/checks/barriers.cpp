#include "checks/barriers.h"

#include <bit>

#include "machine/cta.h"
#include "machine/memory_flags.h"

namespace tcd::emu {

void check_barrier_arrival(Warp& warp) {
  const CheckSettings& settings = warp.launch->checks;
  if (settings.mode == CheckMode::kOff || !settings.barriers) return;
  const Split* first = nullptr;
  for (const Split& split : warp.parked) {
    if (split.wait.kind != WaitKind::kBarrierArriving) continue;
    const MicroOp* op = split.op - 1;  // a split stands behind its barrier
    if ((op->flags & kAlignedBarrier) == 0) continue;
    if (first == nullptr) first = &split;
    if (op == first->op - 1) continue;
    CheckReport r;
    r.finding = Finding::kBarrierDivergence;
    r.op = op;
    r.code = split.frame->code;
    r.cta = warp.cta->index;
    r.warp = warp.id;
    r.lane = static_cast<uint32_t>(std::countr_zero(split.lanes));
    r.address = split.wait.barrier;
    r.other = {static_cast<int>(warp.id), std::countr_zero(first->lanes), 0};
    r.other_op = first->op - 1;
    r.other_code = first->frame->code;
    found(warp, r);
    return;
  }
}

}  // namespace tcd::emu
