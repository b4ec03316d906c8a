// A running warp: 32 lanes, their registers, and the splits they have diverged into.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "machine/code.h"
#include "machine/device.h"
#include "machine/memory.h"
#include "machine/micro_op.h"
#include "tensor/row.h"

namespace tcd::emu {

struct Cta;
struct Launch;
struct Worker;
struct Site;
struct WarpShadow;
class AccessTrace;
class Timeline;
class GlobalShadow;

// One activation of a function. Lanes that call it together share it; a lane that calls it later
// gets its own, so registers of different lanes never meet.
struct Frame {
  Frame* parent = nullptr;
  const Code* code = nullptr;
  const MicroOp* return_to = nullptr;
  const MicroOp* call = nullptr;  // the call instruction in the parent: where results go
  std::byte* regs = nullptr;
  uint32_t lanes = 0;  // lanes that have not returned or exited
  uint32_t depth = 0;
  uint32_t local_base = 0;  // this activation's .local variables start here
  uint64_t serial = 0;
};

enum class Event : uint8_t {
  kReschedule,  // lanes diverged, exited, called or returned
  kWait,        // Warp::wait says for what
  kYield,       // spins: let others run
};

enum class WaitKind : uint8_t {
  kNone,
  kMembers,          // until the lanes of a member mask stand there too (Meets: where)
  kBarrierArriving,  // arrived at a CTA barrier, but other live lanes of the warp have not yet
  kBarrier,          // the whole warp waits at a CTA barrier
};

// Whom a lane that waits for the others of its member mask may meet at another place of the code.
enum class Meets : uint8_t { kNothing, kBarrier, kShuffle, kVote, kMatch, kRedux, kElect };

enum class Reduce : uint8_t { kNone, kPopc, kAnd, kOr };

struct Wait {
  WaitKind kind = WaitKind::kNone;
  uint32_t lanes = 0;             // kMembers: who must come
  Meets meets = Meets::kNothing;  // kMembers
  uint32_t barrier = 0;           // 0–15
  uint32_t threads = 0;           // expected threads, 0: the whole CTA
  bool arrive_only = false;       // bar.arrive
  Reduce reduce = Reduce::kNone;
  uint32_t result = 0;     // offset of bar.red's destination
  uint32_t predicate = 0;  // bar.red: lanes whose source is true
};

// Lanes of a warp that stand at one place. Of all runnable splits the one lowest in
// reconvergence order runs, so that the others can catch up with it and merge.
struct Split {
  const MicroOp* op = nullptr;
  Frame* frame = nullptr;
  uint32_t lanes = 0;
  Wait wait;
  bool deferred = false;  // it spun; others go first
};

// A cp.async that was issued and has not landed. It lands at the wait that covers it, as late as
// the hardware may be: a read before that sees the old bytes, every time.
struct AsyncCopy {
  uint32_t lanes = 0;
  uint32_t bytes = 0;               // 4, 8, 16
  uint32_t group[kLanes];           // the lane's commit group
  uint32_t destination[kLanes];     // shared address
  uint32_t source_bytes[kLanes];    // the rest is zero-filled
  const std::byte* source[kLanes];  // host address
  const MicroOp* op = nullptr;
};

// kSpinning: could run, but polls memory that does not change.
enum class WarpState : uint8_t { kRunnable, kSpinning, kBlocked, kDone };

struct Warp {
  // Used by every handler, so first.
  std::byte* regs = nullptr;
  const uint32_t* pool = nullptr;
  AccessCache* caches = nullptr;
  Site* sites = nullptr;  // counters/site.h
  std::byte* shared = nullptr;
  uint32_t shared_bytes = 0;
  uint32_t active = 0;  // lanes of the split that runs
  const MicroOp* next = nullptr;
  Event event = Event::kReschedule;
  WarpShadow* shadow = nullptr;    // checks/shared_shadow.h; null: no checks
  GlobalShadow* global = nullptr;  // checks/global_shadow.h; null: nothing can race there
  AccessTrace* trace = nullptr;    // counters/access_trace.h; null: no cache model wanted
  Timeline* timeline = nullptr;    // counters/timeline.h; null: not wanted of this CTA
  LaunchCounters* counters = nullptr;
  const TensorNumerics* numerics = nullptr;
  int64_t uncounted = 0;  // micro-operations that are no PTX instruction (gotos)

  uint32_t live = 0;  // lanes that have not exited
  uint32_t id = 0;    // %warpid
  Wait wait;          // filled by a handler that returns with kWait
  Frame* frame = nullptr;
  Frame entry;
  std::vector<Split> parked;
  Cta* cta = nullptr;
  Worker* worker = nullptr;
  Launch* launch = nullptr;

  std::vector<std::byte> local;  // lane after lane
  uint32_t local_bytes = 0;      // of one lane
  uint32_t backward = 0;         // backward branches of this split while others could run
  bool has_waited = false;       // it polled in vain before: it gives up sooner
  uint32_t idle_polls =
      0;  // strong loads and atomics that met an unchanged value, since the last jump
  std::vector<AsyncCopy> copies;
  uint32_t committed[kLanes] = {};       // groups this lane has committed
  uint32_t waited[kLanes] = {};          // how many it had when it last waited
  uint64_t issued = 0;                   // instructions run before this call of run()
  const int64_t* budget_left = nullptr;  // of this call, and
  int64_t budget_given = 0;              // what it began with
  // A clock that is read over and over in a short loop, to wait: it is moved on, faster and faster.
  struct {
    const MicroOp* op = nullptr;
    uint64_t at = 0;  // issued_now() of the last read
    uint32_t count = 0;
    uint64_t skipped = 0;
  } polls;

  // Runs until the budget (in instructions) is spent or no split can run.
  WarpState run(int64_t& budget);

  uint64_t issued_now() const {
    return issued + static_cast<uint64_t>(budget_given - *budget_left);
  }
  std::byte* local_of(int lane) { return local.data() + size_t(lane) * local_bytes; }
  void reserve_local(uint32_t bytes);  // per lane; keeps what is there

  const MicroOp* stop(const MicroOp* at, Event what) {
    next = at;
    event = what;
    return nullptr;
  }
  const MicroOp* wait_for_lanes(const MicroOp* op, uint32_t lanes, Meets meets = Meets::kNothing);

 private:
  bool pick();
  bool only_spins() const;
  void park(const Wait& why, bool deferred);
  const MicroOp* stop_position() const;
  const MicroOp* run_counting(int64_t& budget);  // Launch::is_detailed
  bool gather_barrier();
};

uint32_t linear_thread(const Warp& warp, int lane);

// --- Cold paths of handlers (out of line, not per instruction set) ---------------------------

// Host pointers of all lanes in `mask` for an access that the cached allocation does not cover:
// windows of the generic space, other allocations, errors (thrown as LaunchFault).
enum class AccessKind : uint8_t { kLoad, kStore, kAtomic, kAsyncCopy, kMatrix, kMatrixStore };
void resolve_slow(Warp& warp, const MicroOp* op, uint32_t mask, const uint64_t* addresses,
                  uint32_t bytes, AccessKind kind, ptx::Space space, std::byte** out);
// Into Warp::trace, which is not null. Addresses are a[i] + offset.
void trace_access(Warp& warp, const MicroOp* op, uint32_t mask, const uint64_t* a, uint64_t offset,
                  uint32_t bytes, AccessKind kind);
[[noreturn]] void fail_shared(Warp& warp, const MicroOp* op, uint32_t mask,
                              const uint64_t* addresses, uint32_t bytes, AccessKind kind);
[[noreturn]] void fail_local(Warp& warp, const MicroOp* op, int lane, uint64_t address,
                             uint32_t bytes);

struct LaunchFault {
  Fault fault;
  std::string message;
};
// Throws LaunchFault with the whole story: kernel, source line, CTA, warp, lane.
[[noreturn]] void fail(Warp& warp, const MicroOp* op, Fault fault, uint32_t mask,
                       const std::string& what, const std::string& hint = {});

// --- Control (control.cpp) -------------------------------------------------------------------
const MicroOp* diverge(Warp& warp, const MicroOp* op, uint32_t taken, const MicroOp* target);
const MicroOp* exit_lanes(Warp& warp, const MicroOp* op, uint32_t mask);

}  // namespace tcd::emu
