// mbarrier (PTX ISA 9.7.13.15) in the CTA's own shared memory. Waiting never blocks a warp: a test
// that fails lets the others run.
#include "machine/mbarrier.h"

#include "machine/exec/address.h"

namespace tcd::emu::TCD_ISA_NAMESPACE {
namespace {

// a: address; b: count, bytes, state or parity; d: state (64 bits), predicate or count.
const MicroOp* mbarrier(Warp& w, const MicroOp* op, u32 mask) {
  const auto what = static_cast<MbarrierOp>(op->flags >> kMbarrierShift & 15);
  if (what == MbarrierOp::kPendingCount) {
    const u64* state = row<u64>(w, op->a);
    u32* d = row<u32>(w, op->d);
    each_lane(mask, [&](int i) { d[i] = Mbarrier::unpack(state[i]).pending; });
    return op + 1;
  }
  SharedAddresses a;
  shared_addresses(w, op, a);
  if ((op->flags & kGenericSpace) != 0) {
    const u64 window = w.launch->memory->shared_window();
    const u64* generic = row<u64>(w, op->a);
    each_lane(mask, [&](int i) {
      const u64 v = generic[i] + static_cast<u64>(op->imm) - window;
      a.lane[i] = v > 0xffffffffu ? 0xffffffffu : static_cast<u32>(v);
    });
  }
  check_shared(w, op, mask, a.lane, 8,
               what == MbarrierOp::kInit ? AccessKind::kStore : AccessKind::kAtomic);
  const u32* b32 = row<u32>(w, op->b);
  const u64* b64 = row<u64>(w, op->b);
  u64* state = row<u64>(w, op->d);
  u32 passed = 0;
  each_lane(mask, [&](int i) {
    std::byte* const at = w.shared + a.lane[i];
    const u64 before = load_as<u64>(at);
    Mbarrier m = Mbarrier::unpack(before);
    const auto needs = [&](u32 count) {
      if (count <= m.pending && count != 0) return;
      fail(w, op, Fault::kIllegalInstruction, 1u << i,
           std::to_string(count) + " arrivals at an mbarrier that expects " +
               std::to_string(m.pending) + " more in this phase",
           "Is the mbarrier initialised with the number of threads that arrive?");
    };
    switch (what) {
      case MbarrierOp::kInit:
        m = {};
        m.pending = m.expected = b32[i] & 0xfffff;
        break;
      case MbarrierOp::kInval:
        m = {};
        break;
      case MbarrierOp::kArrive:
        needs(b32[i]);
        m.arrive(b32[i]);
        break;
      case MbarrierOp::kArriveDrop:
        needs(b32[i]);
        m.expected -= b32[i];
        m.arrive(b32[i]);
        break;
      case MbarrierOp::kArriveExpect:
        needs(1);
        m.bytes += static_cast<s32>(b32[i]);
        m.arrive(1);
        break;
      case MbarrierOp::kExpectTx:
        m.bytes += static_cast<s32>(b32[i]);
        break;
      case MbarrierOp::kCompleteTx:
        m.bytes -= static_cast<s32>(b32[i]);
        m.settle();
        break;
      case MbarrierOp::kTestWait:
        passed |= u32{Mbarrier::unpack(b64[i]).phase != m.phase} << i;
        return;
      default:
        passed |= u32{((b32[i] & 1) != 0) != m.phase} << i;
        return;
    }
    store_as(at, m.pack());
    if ((op->flags & kNoResult) == 0) state[i] = before;
  });
  if (what == MbarrierOp::kTestWait || what == MbarrierOp::kTestParity) {
    write_predicate(w, op->d, passed, mask);
    if (passed == 0) return w.stop(op + 1, Event::kYield);
  }
  return op + 1;
}

}  // namespace

void fill_mbarrier(Table& t) { bind_handler(t, Micro::mbarrier, &mbarrier); }

}  // namespace tcd::emu::TCD_ISA_NAMESPACE
