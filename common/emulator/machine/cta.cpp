// A CTA's warps take turns; barriers release them.
#include "machine/cta.h"

#include <algorithm>
#include <cstring>

namespace tcd::emu {
namespace {

// Instructions a warp may run before the next one gets its turn: long enough that a warp's
// registers stay in the first-level cache, short enough that a spinning warp costs little.
constexpr int64_t kTurn = 8192;

}  // namespace

void Cta::start(uint64_t cta_index) {
  index = cta_index;
  const Dim3& grid = launch->grid;
  x = static_cast<uint32_t>(index % grid.x);
  y = static_cast<uint32_t>(index / grid.x % grid.y);
  z = static_cast<uint32_t>(index / grid.x / grid.y);
  clock = 0;
  if (launch->caches) trace.start(launch->caches->trace_limit());
  order = {};
  for (Barrier& b : barriers) b = {};
  const Code& code = *launch->code;
  if (warps.empty()) {
    register_memory =
        std::make_unique<std::byte[]>(size_t(launch->warps_per_cta) * code.frame_bytes + 64);
    registers = align64(register_memory.get());
    shared_memory.resize(launch->shared_bytes + 64);
    for (uint32_t i = 0; i < launch->warps_per_cta; ++i) {
      warps.push_back(std::make_unique<Warp>());
      Warp& w = *warps.back();
      w.id = i;
      w.cta = this;
      w.worker = worker;
      w.launch = launch;
      w.global = launch->global.get();
      w.counters = &worker->counters;
      w.numerics = &launch->profile->tensor;
      w.caches = worker->caches.data();
      w.sites = worker->sites.data();
      w.trace = launch->caches ? &trace : nullptr;
      w.entry.code = &code;
      w.entry.regs = registers + size_t(i) * code.frame_bytes;
      w.parked.reserve(8);
    }
    if (launch->checks.shared() && launch->shared_bytes != 0) {
      shadow = std::make_unique<SharedShadow>(*this, launch->checks, launch->shared_bytes,
                                              launch->warps_per_cta);
      for (auto& w : warps) w->shadow = &shadow->warp(w->id);
    }
  }
  std::memset(shared_memory.data(), 0, shared_memory.size());
  if (shadow) shadow->start();
  for (uint32_t i = 0; i < launch->warps_per_cta; ++i) {
    Warp& w = *warps[i];
    w.timeline = index == 0 ? launch->timeline.get() : nullptr;
    std::memcpy(w.entry.regs, worker->frame_image.data(), code.frame_bytes);
    const uint32_t threads = std::min(launch->threads_per_cta - i * kLanes, uint32_t{kLanes});
    w.live = threads == kLanes ? kAllLanes : (1u << threads) - 1;
    w.active = w.live;
    w.entry.lanes = w.live;
    w.entry.serial = 0;
    w.frame = &w.entry;
    w.regs = w.entry.regs;
    w.pool = code.pool.data();
    w.next = code.ops.data();
    w.shared = align64(shared_memory.data());
    w.shared_bytes = launch->shared_bytes;
    w.issued = 0;
    w.polls = {};
    w.idle_polls = 0;
    w.has_waited = false;
    w.parked.clear();
    w.copies.clear();
    std::memset(w.committed, 0, sizeof w.committed);
    std::memset(w.waited, 0, sizeof w.waited);
    if (code.local_bytes != 0) {
      w.reserve_local(code.local_bytes);
      std::memset(w.local.data(), 0, w.local.size());
    }
    fill_frame_specials(w, code, w.regs, 0);
  }
}

CtaState Cta::run(int64_t budget) {
  for (;;) {
    bool any_runnable = false, any_spinning = false, all_done = true;
    for (auto& warp : warps) {
      if (warp->live == 0) continue;
      int64_t turn = kTurn;
      const WarpState state = warp->run(turn);
      budget -= kTurn - turn + 64;  // an empty turn costs something too
      all_done = all_done && state == WarpState::kDone;
      any_runnable = any_runnable || state == WarpState::kRunnable;
      any_spinning = any_spinning || state == WarpState::kSpinning;
    }
    if (all_done) return CtaState::kDone;
    if (!any_runnable) {
      // A barrier may have released warps that had their turn before.
      const bool released = std::any_of(warps.begin(), warps.end(), [](const auto& w) {
        return std::any_of(w->parked.begin(), w->parked.end(), [](const Split& s) {
          return s.wait.kind == WaitKind::kNone && !s.deferred;
        });
      });
      if (!released && !any_spinning) deadlock();
      // All wait for something outside: another CTA has to run, or another host thread.
      if (!released) return CtaState::kWaiting;
    }
    if (budget <= 0) return CtaState::kYielded;
  }
}

bool Cta::complete(uint32_t id) {
  const Barrier& b = barriers[id];
  if (b.arrived_warps == 0) return false;
  if (b.threads != 0) return b.arrived_warps * kLanes >= b.threads;
  uint32_t done = 0;
  for (const auto& w : warps) done += w->live == 0;
  return b.arrived_warps + done >= warps.size();
}

void Cta::release(uint32_t id) {
  const Barrier b = barriers[id];
  barriers[id] = {};
  warps_may_meet();
  if (shadow) {
    uint32_t ended = 0;
    for (const auto& w : warps) ended |= uint32_t{b.threads == 0 && w->live == 0} << w->id;
    shadow->barrier_completed(id, ended);
  }
  for (auto& w : warps) {
    for (Split& s : w->parked) {
      if (s.wait.kind != WaitKind::kBarrier || s.wait.barrier != id) continue;
      std::byte* const result = s.frame->regs + s.wait.result;
      if (s.wait.reduce == Reduce::kPopc) {
        for (int i = 0; i < kLanes; ++i) {
          if ((s.lanes >> i & 1) != 0) reinterpret_cast<uint32_t*>(result)[i] = b.popc;
        }
      } else if (s.wait.reduce != Reduce::kNone) {
        auto& p = *reinterpret_cast<uint32_t*>(result);
        const bool value = s.wait.reduce == Reduce::kAnd ? b.all : b.any;
        p = value ? p | s.lanes : p & ~s.lanes;
      }
      s.wait = {};
    }
  }
}

bool Cta::arrive(Warp& warp, const Wait& wait) {
  Barrier& b = barriers[wait.barrier];
  ++worker->counters.barriers;
  if (shadow) shadow->barrier_arrived(warp.id, wait.barrier, wait.arrive_only);
  ++b.arrived_warps;
  if (wait.threads != 0) b.threads = wait.threads;
  b.popc += static_cast<uint32_t>(__builtin_popcount(wait.predicate));
  b.all = b.all && wait.predicate == warp.live;
  b.any = b.any || wait.predicate != 0;
  if (!complete(wait.barrier)) return false;
  release(wait.barrier);
  return true;
}

void Cta::lanes_exited() {
  for (uint32_t id = 0; id < kBarriers; ++id) {
    if (complete(id)) release(id);
  }
}

}  // namespace tcd::emu
