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

void check_member_mask(Warp& warp, const MicroOp* op, uint32_t lanes, uint32_t members,
                       uint32_t here) {
  const CheckSettings& settings = warp.launch->checks;
  if (settings.mode == CheckMode::kOff || !settings.barriers) return;
  const uint32_t outside = lanes & ~members, differ = members & here & ~lanes;
  CheckReport r;
  r.finding = outside != 0 ? Finding::kNotInMask : Finding::kMasksDiffer;
  r.op = op;
  r.code = warp.frame->code;
  r.cta = warp.cta->index;
  r.warp = warp.id;
  r.lane = static_cast<uint32_t>(std::countr_zero(outside != 0 ? outside : lanes));
  r.address = members;
  if (outside == 0) {
    r.other = {static_cast<int>(warp.id), std::countr_zero(differ), 0};
    r.other_op = op;
    r.other_code = r.code;
  }
  found(warp, r);
}

}  // namespace tcd::emu
