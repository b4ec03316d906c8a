// How the splits of a warp take turns. One split with all lanes is the fast path; otherwise the
// split lowest in reconvergence order runs until it meets or passes another.
#include "machine/warp.h"

#include <algorithm>
#include <cstring>

#include "checks/barriers.h"
#include "machine/cta.h"
#include "machine/teams.h"

namespace tcd::emu {
namespace {

// Deeper activations first (their callers wait for them), then one activation after the other,
// then the lower position.
bool runs_before(const Split& a, const Split& b) {
  if (a.frame->depth != b.frame->depth) return a.frame->depth > b.frame->depth;
  if (a.frame != b.frame) return a.frame->serial < b.frame->serial;
  return a.op < b.op;
}

bool is_mergeable(const Split& split) {
  return split.wait.kind == WaitKind::kNone || split.wait.kind == WaitKind::kMembers;
}

}  // namespace

const MicroOp* Warp::wait_for_lanes(const MicroOp* op, uint32_t lanes, Meets meets) {
  if ((lanes & live & ~active) == 0) {
    fail(*this, op, Fault::kDeadlock, active,
         "lanes that its member mask names stand here with a false guard, so the others would wait "
         "for ever",
         "Give the instruction no predicate, or a member mask of just the lanes that run it.");
  }
  wait = {};
  wait.kind = WaitKind::kMembers;
  wait.lanes = lanes;
  wait.meets = meets;
  return stop(op, Event::kWait);
}

void Warp::reserve_local(uint32_t bytes) {
  if (bytes <= local_bytes) return;
  std::vector<std::byte> bigger(size_t(bytes) * kLanes);
  for (int i = 0; i < kLanes && local_bytes != 0; ++i) {
    std::memcpy(bigger.data() + size_t(i) * bytes, local_of(i), local_bytes);
  }
  local.swap(bigger);
  local_bytes = bytes;
}

// The running split joins the waiting ones; equal positions merge.
void Warp::park(const Wait& why, bool deferred) {
  Split split{next, frame, active, why, deferred};
  for (Split& other : parked) {
    if (other.op != split.op || other.frame != split.frame || !is_mergeable(other) ||
        !is_mergeable(split)) {
      continue;
    }
    other.lanes |= split.lanes;
    if (split.wait.kind == WaitKind::kMembers || other.wait.kind == WaitKind::kMembers) {
      other.wait.kind = WaitKind::kMembers;
      other.wait.lanes |= split.wait.lanes;
      if (split.wait.meets != Meets::kNothing) other.wait.meets = split.wait.meets;
    }
    other.deferred = other.deferred && deferred;
    active = 0;
    return;
  }
  parked.push_back(split);
  active = 0;
}

// Takes the split that is to run out of the waiting ones. False: none can.
bool Warp::pick() {
  const auto waits = [](const Split& s) { return s.wait.kind == WaitKind::kMembers; };
  if (std::count_if(parked.begin(), parked.end(), waits) > 1) {
    while (meet_in_teams(*this, 2)) {
    }
  }
  for (;;) {
    size_t best = parked.size();
    bool any_deferred = false;
    for (size_t i = 0; i < parked.size(); ++i) {
      Split& s = parked[i];
      if (s.wait.kind == WaitKind::kMembers && (s.wait.lanes & live & ~s.lanes) == 0) s.wait = {};
      if (s.wait.kind != WaitKind::kNone) continue;
      if (s.deferred) {
        any_deferred = true;
        continue;
      }
      if (best == parked.size() || runs_before(s, parked[best])) best = i;
    }
    if (best != parked.size()) {
      const Split s = parked[best];
      parked.erase(parked.begin() + static_cast<std::ptrdiff_t>(best));
      next = s.op;
      active = s.lanes;
      if (frame != s.frame || regs != s.frame->regs) {
        frame = s.frame;
        regs = s.frame->regs;
        pool = s.frame->code->pool.data();
      }
      backward = 0;
      return true;
    }
    // A team may be complete in a split that waits for another team.
    if (std::any_of(parked.begin(), parked.end(), waits) && meet_in_teams(*this, 1)) continue;
    if (!any_deferred) return false;
    for (Split& s : parked) s.deferred = false;
  }
}

// Nothing here gets on by itself: a lane polls, the others wait for it at a barrier.
bool Warp::only_spins() const {
  return std::none_of(parked.begin(), parked.end(), [&](const Split& s) {
    const bool has_members =
        s.wait.kind == WaitKind::kMembers && (s.wait.lanes & live & ~s.lanes) == 0;
    return !s.deferred && (s.wait.kind == WaitKind::kNone || has_members);
  });
}

// Where the running split must look around: the lowest place another split of its activation is at.
const MicroOp* Warp::stop_position() const {
  const MicroOp* stop = frame->code->ops.data() + frame->code->ops.size();
  for (const Split& s : parked) {
    if (s.frame == frame && !s.deferred && is_mergeable(s) && s.op >= next) {
      stop = std::min(stop, s.op);
    }
  }
  return stop;
}

// All live lanes stand at the same CTA barrier, perhaps at different bar instructions: the warp
// arrives. True if that made something runnable.
bool Warp::gather_barrier() {
  uint32_t lanes = 0;
  const Wait* first = nullptr;
  Wait all;
  for (const Split& s : parked) {
    if (s.wait.kind != WaitKind::kBarrierArriving) continue;
    if (first == nullptr) {
      first = &s.wait;
      all = s.wait;
    } else if (s.wait.barrier == first->barrier) {
      all.predicate |= s.wait.predicate;
    } else {
      continue;
    }
    lanes |= s.lanes;
  }
  if (first == nullptr || lanes != live) return false;
  if (parked.size() > 1) check_barrier_arrival(*this);
  for (Split& s : parked) s.wait.kind = WaitKind::kBarrier;
  if (all.arrive_only) {
    for (Split& s : parked) s.wait = {};
  }
  cta->arrive(*this, all);
  return std::any_of(parked.begin(), parked.end(),
                     [](const Split& s) { return s.wait.kind == WaitKind::kNone; });
}

// The two loops below, and a count for each operation.
const MicroOp* Warp::run_counting(int64_t& budget) {
  const MicroOp* const first = frame->code->ops.data();
  std::vector<uint64_t>& counts = worker->executed[frame->code];
  counts.resize(frame->code->ops.size());
  const MicroOp* op = next;
  const bool whole = active == kAllLanes;
  const MicroOp* const limit = whole ? nullptr : stop_position();
  while (op != nullptr && budget > 0 && (whole || op < limit)) {
    ++counts[static_cast<size_t>(op - first)];
    if (__builtin_expect(timeline != nullptr, 0)) {
      const uint32_t guard = *reinterpret_cast<const uint32_t*>(regs + op->guard) ^ op->guard_flip;
      timeline->note(id, *frame->code, *op, (active & guard) != 0);
    }
    --budget;
    if (whole) {
      op = op->fast(*this, op, kAllLanes);
      continue;
    }
    const uint32_t guard = *reinterpret_cast<const uint32_t*>(regs + op->guard) ^ op->guard_flip;
    const uint32_t mask = active & guard;
    op = mask != 0 ? op->masked(*this, op, mask) : op + 1;
  }
  return op;
}

WarpState Warp::run(int64_t& budget) {
  const int64_t given = budget;
  budget_left = &budget;
  budget_given = budget;
  const int64_t uncounted_before = uncounted;
  const auto leave = [&](WarpState state) {
    const int64_t ran = given - budget - (uncounted - uncounted_before);
    issued += static_cast<uint64_t>(ran);
    counters->warp_instructions += static_cast<uint64_t>(ran);
    return state;
  };
  for (;;) {
    if (active == 0 && !pick()) {
      if (parked.empty()) return leave(WarpState::kDone);
      if (!gather_barrier()) return leave(WarpState::kBlocked);
      continue;
    }
    const MicroOp* op = next;
    if (__builtin_expect(launch->is_detailed, 0)) {
      op = run_counting(budget);
    } else if (active == kAllLanes) {
      do {
        op = op->fast(*this, op, kAllLanes);
        --budget;
      } while (op != nullptr && budget > 0);
    } else {
      const MicroOp* const limit = stop_position();
      while (budget > 0 && op < limit) {
        const uint32_t guard =
            *reinterpret_cast<const uint32_t*>(regs + op->guard) ^ op->guard_flip;
        const uint32_t mask = active & guard;
        op = mask != 0 ? op->masked(*this, op, mask) : op + 1;
        --budget;
        if (op == nullptr) break;
      }
    }
    if (op != nullptr) {
      next = op;
      if (budget <= 0) return leave(WarpState::kRunnable);
      park({}, false);
      continue;
    }
    switch (event) {
      case Event::kReschedule:
        if (active != 0 && (active != kAllLanes || !parked.empty())) park({}, false);
        break;
      case Event::kWait:
        park(wait, false);
        break;
      case Event::kYield:
        if (parked.empty()) return leave(WarpState::kSpinning);
        park({}, true);
        if (only_spins()) return leave(WarpState::kSpinning);
        break;
    }
  }
}

uint32_t linear_thread(const Warp& warp, int lane) {
  return warp.id * kLanes + static_cast<uint32_t>(lane);
}

}  // namespace tcd::emu
