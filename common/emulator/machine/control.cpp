// Branches, exits, barriers of a warp, clocks (PTX ISA 9.7.12, 9.7.13).
#include "machine/control.h"

#include <bit>
#include <chrono>

#include "checks/barriers.h"
#include "checks/global_shadow.h"
#include "machine/calls.h"
#include "machine/cta.h"
#include "machine/each_lane.h"
#include "machine/memory.h"
#include "machine/memory_flags.h"
#include "machine/micro_list.h"

namespace tcd::emu {
namespace {

template <class T>
T* row(Warp& w, uint32_t offset) {
  return reinterpret_cast<T*>(w.regs + offset);
}
uint32_t predicate(Warp& w, uint32_t offset) {
  return *reinterpret_cast<uint32_t*>(w.regs + offset);
}

// A split that loops without getting anywhere lets others run: a lane may be spinning for a lock
// that another lane of its own warp holds, or for what another warp or CTA will write.
constexpr uint32_t kPatiencePolling = 32;  // iterations that polled and saw nothing new
constexpr uint32_t kPatienceAgain = 1;     // the same, after one such yield
constexpr uint32_t kPatience = 1u << 18;   // any other, while other splits of the warp could run

const MicroOp* jump(Warp& w, const MicroOp* op, const MicroOp* target) {
  if (target > op) return target;
  const bool polls = w.idle_polls != 0;
  if (!polls && w.parked.empty()) return target;
  w.idle_polls = 0;
  if (!polls) w.has_waited = false;
  const uint32_t patience = !polls ? kPatience : w.has_waited ? kPatienceAgain : kPatiencePolling;
  if (++w.backward <= patience) return target;
  w.backward = 0;
  w.has_waited = polls;
  return w.stop(target, Event::kYield);
}

const MicroOp* goto_(Warp& w, const MicroOp* op, uint32_t) {
  ++w.uncounted;
  return jump(w, op, op + op->imm);
}

const MicroOp* bra(Warp& w, const MicroOp* op, uint32_t) { return jump(w, op, op + op->imm); }

const MicroOp* bra_fast(Warp& w, const MicroOp* op, uint32_t) {
  const uint32_t taken = predicate(w, op->guard) ^ op->guard_flip;
  if (taken == 0) return op + 1;
  if (taken == kAllLanes) return jump(w, op, op + op->imm);
  return diverge(w, op, taken, op + op->imm);
}

const MicroOp* bra_masked(Warp& w, const MicroOp* op, uint32_t taken) {
  if (taken == w.active) return jump(w, op, op + op->imm);
  return diverge(w, op, taken, op + op->imm);
}

// brx.idx: imm is the number of the table, a the index row.
const MicroOp* brx(Warp& w, const MicroOp* op, uint32_t mask) {
  const auto& table = w.frame->code->tables[static_cast<size_t>(op->imm)];
  const MicroOp* const first = w.frame->code->ops.data();
  const uint32_t* index = row<uint32_t>(w, op->a);
  const uint32_t chosen = index[std::countr_zero(mask)];
  uint32_t same = 0;
  each_lane(mask, [&](int i) {
    if (index[i] >= table.size()) {
      fail(w, op, Fault::kIllegalInstruction, 1u << i,
           "brx.idx with index " + std::to_string(index[i]) + ", but its table has " +
               std::to_string(table.size()) + " entries");
    }
    same |= uint32_t{table[index[i]] == table[chosen]} << i;
  });
  const MicroOp* target = first + table[chosen];
  if (same == w.active) return jump(w, op, target);
  w.parked.push_back({target, w.frame, same, {}, false});
  w.active &= ~same;
  // Lanes with other entries come back here; lanes whose guard is false go on.
  if (const uint32_t skipped = w.active & ~mask; skipped != 0) {
    w.parked.push_back({op + 1, w.frame, skipped, {}, false});
    w.active &= mask;
  }
  return w.stop(op, Event::kReschedule);
}

const MicroOp* exit_op(Warp& w, const MicroOp* op, uint32_t mask) {
  return exit_lanes(w, op, mask);
}

const MicroOp* trap(Warp& w, const MicroOp* op, uint32_t mask) {
  fail(w, op, Fault::kTrap, mask, "the kernel stopped itself with `trap`",
       "trap stands for __trap(), a failed check in device code, or unreachable code.");
}

const MicroOp* brkpt(Warp& w, const MicroOp* op, uint32_t mask) {
  fail(w, op, Fault::kTrap, mask, "the kernel hit a breakpoint (`brkpt`)");
}

const MicroOp* nop(Warp&, const MicroOp* op, uint32_t) { return op + 1; }

// flags: 1 when it reaches beyond the CTA.
const MicroOp* membar(Warp& w, const MicroOp* op, uint32_t) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (op->flags != 0 && w.global != nullptr) w.global->fence(w);
  w.cta->warps_may_meet();
  return op + 1;
}

const MicroOp* nanosleep(Warp& w, const MicroOp* op, uint32_t) {
  return w.stop(op + 1, Event::kYield);
}

// a: barrier number, b: threads, c: bar.red's predicate. flags: bits 0–1 Reduce, bit 2 arrive,
// bit 3 the predicate is negated, bit 4 b is given, kAlignedBarrier.
const MicroOp* bar(Warp& w, const MicroOp* op, uint32_t mask) {
  const int lane = std::countr_zero(mask);
  const uint32_t id = row<uint32_t>(w, op->a)[lane];
  if (id >= kBarriers) {
    fail(w, op, Fault::kIllegalInstruction, mask,
         "barrier " + std::to_string(id) + " does not exist: a CTA has barriers 0 to 15");
  }
  Wait wait;
  wait.kind = WaitKind::kBarrierArriving;
  wait.barrier = id;
  wait.threads = (op->flags & 16) != 0 ? row<uint32_t>(w, op->b)[lane] : 0;
  wait.arrive_only = (op->flags & 4) != 0;
  wait.reduce = static_cast<Reduce>(op->flags & 3);
  wait.result = op->d;
  if (wait.threads % kLanes != 0) {
    fail(w, op, Fault::kIllegalInstruction, mask,
         "a barrier for " + std::to_string(wait.threads) +
             " threads: the number must be a multiple of the warp size, 32");
  }
  if (wait.reduce != Reduce::kNone) {
    wait.predicate = (predicate(w, op->c) ^ ((op->flags & 8) != 0 ? kAllLanes : 0)) & mask;
  }
  if (mask != w.active) {  // lanes with a false guard go on
    w.parked.push_back({op + 1, w.frame, w.active & ~mask, {}, false});
    w.active = mask;
  }
  w.wait = wait;
  return w.stop(op + 1, Event::kWait);
}

// A warp's clock counts the instructions it has run, four cycles each, plus a fixed start: it is
// the same on every run and no card's time. Kernels that wait a second by it would take a minute: a
// loop that does little but read it sees it go faster, at most an eighth of the wait too far.
constexpr uint64_t kShortLoop = 32;     // instructions
constexpr uint32_t kPatientPolls = 32;  // before the clock is moved on
const MicroOp* clock_any(Warp& w, const MicroOp* op, uint32_t mask) {
  const uint64_t issued = w.issued_now();
  auto& polls = w.polls;
  polls.count = polls.op == op && issued - polls.at < kShortLoop ? polls.count + 1 : 0;
  polls.op = op;
  polls.at = issued;
  if (polls.count > kPatientPolls) polls.skipped += polls.skipped / 8 + 64;
  const uint64_t now = (w.cta->clock += 4) + 4 * issued + polls.skipped;
  each_lane(mask, [&](int i) {
    if (op->flags == 2) {
      row<uint64_t>(w, op->d)[i] = now;
    } else {
      row<uint32_t>(w, op->d)[i] = static_cast<uint32_t>(op->flags == 1 ? now >> 32 : now);
    }
  });
  return op + 1;
}

const MicroOp* globaltimer(Warp& w, const MicroOp* op, uint32_t mask) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto ns =
      static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
  each_lane(mask, [&](int i) {
    if (op->flags == 2) {
      row<uint64_t>(w, op->d)[i] = ns;
    } else {
      row<uint32_t>(w, op->d)[i] = static_cast<uint32_t>(op->flags == 1 ? ns >> 32 : ns);
    }
  });
  return op + 1;
}

// flags: the ptx::Space asked for.
const MicroOp* isspacep(Warp& w, const MicroOp* op, uint32_t mask) {
  const DeviceMemory::Impl& memory = *w.launch->memory;
  const uint64_t* a = row<uint64_t>(w, op->a);
  uint32_t result = 0;
  each_lane(mask, [&](int i) {
    const uint64_t v = a[i];
    const bool shared = v >= memory.shared_window() && v < memory.local_window();
    const bool local = v >= memory.local_window() && v < memory.param_window();
    const bool param = v >= memory.param_window() && v < memory.code_window();
    bool is = false;
    switch (static_cast<ptx::Space>(op->flags)) {
      case ptx::Space::kShared:
        is = shared;
        break;
      case ptx::Space::kLocal:
        is = local;
        break;
      case ptx::Space::kParam:
        is = param;
        break;
      case ptx::Space::kConst:
        is = memory.is_constant(v);
        break;
      default:
        is = !shared && !local && !param;
        break;
    }
    result |= uint32_t{is} << i;
  });
  uint32_t& p = *reinterpret_cast<uint32_t*>(w.regs + op->d);
  p = (p & ~mask) | (result & mask);
  return op + 1;
}

}  // namespace

const MicroOp* run_guarded(Warp& w, const MicroOp* op, uint32_t) {
  const uint32_t mask = predicate(w, op->guard) ^ op->guard_flip;
  return mask != 0 ? op->masked(w, op, mask) : op + 1;
}

const MicroOp* diverge(Warp& w, const MicroOp* op, uint32_t taken, const MicroOp* target) {
  w.parked.push_back({target, w.frame, taken, {}, false});
  w.active &= ~taken;
  return w.stop(op + 1, Event::kReschedule);
}

const MicroOp* exit_lanes(Warp& w, const MicroOp* op, uint32_t mask) {
  for (Frame* f = w.frame; f != nullptr; f = f->parent) f->lanes &= ~mask;
  w.live &= ~mask;
  w.active &= ~mask;
  w.cta->lanes_exited();
  return w.stop(op + 1, Event::kReschedule);
}

HandlerPair control_handler(Micro micro) {
  switch (micro) {
    case Micro::goto_:
      return {&goto_, &goto_};
    case Micro::bra:
      return {&bra, &bra};
    case Micro::bra_guarded:
      return {&bra_fast, &bra_masked};
    case Micro::brx:
      return {&brx, &brx};
    case Micro::call:
      return {&call, &call};
    case Micro::call_indirect:
      return {&call_indirect, &call_indirect};
    case Micro::ret:
      return {&ret, &ret};
    case Micro::vprintf:
      return {&call_vprintf, &call_vprintf};
    case Micro::device_malloc:
      return {&call_malloc, &call_malloc};
    case Micro::device_free:
      return {&call_free, &call_free};
    case Micro::set_conditional:
      return {&call_set_conditional, &call_set_conditional};
    case Micro::assert_fail:
      return {&call_assert_fail, &call_assert_fail};
    case Micro::exit:
      return {&exit_op, &exit_op};
    case Micro::trap:
      return {&trap, &trap};
    case Micro::brkpt:
      return {&brkpt, &brkpt};
    case Micro::bar:
      return {&bar, &bar};
    case Micro::membar:
      return {&membar, &membar};
    case Micro::nop:
      return {&nop, &nop};
    case Micro::nanosleep:
      return {&nanosleep, &nanosleep};
    case Micro::clock:
      return {&clock_any, &clock_any};
    case Micro::globaltimer:
      return {&globaltimer, &globaltimer};
    case Micro::isspacep:
      return {&isspacep, &isspacep};
    default:
      return {};
  }
}

}  // namespace tcd::emu
