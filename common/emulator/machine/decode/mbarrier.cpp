// mbarrier → micro-operations (PTX ISA 9.7.13.15).
#include "machine/mbarrier.h"

#include "machine/decode/decoder.h"
#include "machine/memory_flags.h"

namespace tcd::emu {

void decode_mbarrier(Decoder& x) {
  Modifiers& m = x.mods();
  const int action = m.take_one_of({"init", "inval", "arrive", "arrive_drop", "expect_tx",
                                    "complete_tx", "test_wait", "try_wait", "pending_count"});
  const bool parity = m.take("parity"), expect = m.take("expect_tx");
  const bool no_complete = m.take("noComplete");
  m.ignore({"relaxed", "acquire", "release", "cta", "cluster"});
  const bool shared = m.take_one_of({"shared", "shared::cta"}) >= 0;
  m.take_type();
  constexpr MbarrierOp kOps[] = {
      MbarrierOp::kInit,       MbarrierOp::kInval,    MbarrierOp::kArrive,
      MbarrierOp::kArriveDrop, MbarrierOp::kExpectTx, MbarrierOp::kCompleteTx,
      MbarrierOp::kTestWait,   MbarrierOp::kTestWait, MbarrierOp::kPendingCount};
  if (action < 0 || no_complete) x.unsupported();
  MbarrierOp what = kOps[action];
  if (action >= 4 && action <= 7 && action != 6) x.need_compute(90, "this form of mbarrier");
  if (expect) {
    if (what != MbarrierOp::kArrive) x.unsupported();
    what = MbarrierOp::kArriveExpect;
  }
  if (parity) what = MbarrierOp::kTestParity;
  if (what == MbarrierOp::kPendingCount) {
    const uint32_t d = x.destination(x.operand(0), 4);
    x.emit(Micro::mbarrier, d, x.source_row(x.operand(1), 8)).flags = static_cast<uint32_t>(what)
                                                                      << kMbarrierShift;
    return;
  }
  size_t next = 0;
  uint32_t d = 0;
  bool no_result = true;
  if (what == MbarrierOp::kTestWait || what == MbarrierOp::kTestParity) {
    d = x.predicate_destination(x.operand(next++));
  } else if (what == MbarrierOp::kArrive || what == MbarrierOp::kArriveDrop ||
             what == MbarrierOp::kArriveExpect) {
    // The state is left out only where the barrier may be another CTA's.
    if (x.operand(0).kind != ptx::Operand::Kind::kAddress) {
      no_result = x.operand(0).kind == ptx::Operand::Kind::kSink;
      d = x.destination(x.operand(next++), 8);
    }
  }
  const Decoder::Address a =
      x.address(x.operand(next++), shared ? ptx::Space::kShared : ptx::Space::kGeneric);
  uint32_t b = x.constant(1, 4);
  if (next < x.operands()) {
    b = what == MbarrierOp::kTestWait ? x.source_row(x.operand(next), 8)
                                      : x.source_b32(x.operand(next));
  }
  const uint32_t slot = x.access_slot();
  MicroOp& op = x.emit(Micro::mbarrier, d, a.row, b);
  op.slot = slot;
  op.imm = a.offset;
  op.flags = (a.is_wide ? kWideAddress : 0) | (shared ? 0 : kGenericSpace) |
             (no_result ? kNoResult : 0) | static_cast<uint32_t>(what) << kMbarrierShift;
}

}  // namespace tcd::emu
