#include "machine/teams.h"

#include <bit>
#include <cstring>

#include "machine/each_lane.h"

namespace tcd::emu {
namespace {

constexpr uint32_t kVoteMode = 3;  // the other flag negates the operand
constexpr uint32_t kBallot = 3;

// What one split brings to the meeting.
struct Comer {
  Split* split;
  uint32_t lanes;
  const MicroOp& op() const { return *split->op; }
  std::byte* at(uint32_t offset) const { return split->frame->regs + offset; }
  template <class T>
  T* row(uint32_t offset) const {
    return reinterpret_cast<T*>(at(offset));
  }
  const uint32_t* pool() const { return split->frame->code->pool.data() + op().extra; }
};

// A register file of just this instruction's operands: the comers' own rows may be anywhere, and
// one row may be several operands.
struct alignas(64) Operands {
  uint32_t always = kAllLanes;
  uint32_t source_predicate = 0, result_predicate = 0;
  alignas(64) uint64_t wide[kLanes] = {};
  alignas(64) uint32_t a[kLanes] = {};
  alignas(64) uint32_t b[kLanes] = {};
  alignas(64) uint32_t c[kLanes] = {};
  alignas(64) uint32_t members[kLanes] = {};
  alignas(64) uint32_t d[kLanes] = {};
};

uint32_t qualifiers(const Split& s) {
  return s.wait.meets == Meets::kVote ? s.op->flags & kVoteMode : s.op->flags;
}

bool meets(const Split& a, const Split& b) {
  return a.op->masked == b.op->masked && qualifiers(a) == qualifiers(b);
}

bool waits(const Split& s) {
  return s.wait.kind == WaitKind::kMembers && s.wait.meets != Meets::kNothing;
}

// Lanes of the split that stand there with that mask and are named by it.
uint32_t lanes_with(const Split& s, uint32_t members) {
  const uint32_t* const masks =
      reinterpret_cast<const uint32_t*>(s.frame->regs + s.frame->code->pool[s.op->extra]);
  const uint32_t guard =
      *reinterpret_cast<const uint32_t*>(s.frame->regs + s.op->guard) ^ s.op->guard_flip;
  uint32_t lanes = 0;
  each_lane(s.lanes & guard & members, [&](int i) { lanes |= uint32_t{masks[i] == members} << i; });
  return lanes;
}

void bring(const Comer& comer, Operands& all) {
  const MicroOp& op = comer.op();
  const auto copy = [&](const auto* from, auto* to) {
    each_lane(comer.lanes, [&](int i) { to[i] = from[i]; });
  };
  switch (comer.split->wait.meets) {
    case Meets::kShuffle:
      copy(comer.row<uint32_t>(op.b), all.b);
      copy(comer.row<uint32_t>(op.c), all.c);
      [[fallthrough]];
    case Meets::kRedux:
      return copy(comer.row<uint32_t>(op.a), all.a);
    case Meets::kMatch:
      if ((op.flags & 1) != 0) return copy(comer.row<uint64_t>(op.a), all.wide);
      return copy(comer.row<uint32_t>(op.a), all.a);
    case Meets::kVote: {
      const uint32_t negated = (op.flags & ~kVoteMode) != 0 ? kAllLanes : 0;
      all.source_predicate |= (*comer.row<uint32_t>(op.a) ^ negated) & comer.lanes;
      return;
    }
    case Meets::kElect:
    case Meets::kBarrier:
    case Meets::kNothing:
      return;
  }
}

void take(const Comer& comer, const Operands& all) {
  const MicroOp& op = comer.op();
  const Meets kind = comer.split->wait.meets;
  if (kind == Meets::kBarrier) return;
  const auto predicate = [&](uint32_t offset) {
    uint32_t& p = *comer.row<uint32_t>(offset);
    p = (p & ~comer.lanes) | (all.result_predicate & comer.lanes);
  };
  if (kind == Meets::kVote && qualifiers(*comer.split) != kBallot) return predicate(op.d);
  each_lane(comer.lanes, [&](int i) { comer.row<uint32_t>(op.d)[i] = all.d[i]; });
  if (const uint32_t p = comer.pool()[1]; p != 0) predicate(p);
}

void run_together(Warp& w, const std::vector<Comer>& comers, uint32_t members) {
  Operands all;
  uint32_t lanes = 0;
  for (const Comer& comer : comers) {
    bring(comer, all);
    lanes |= comer.lanes;
  }
  for (uint32_t& mask : all.members) mask = members;
  const Comer& first = comers.front();
  const Meets kind = first.split->wait.meets;
  const bool to_predicate = kind == Meets::kVote && qualifiers(*first.split) != kBallot;
  const bool wide = kind == Meets::kMatch && (first.op().flags & 1) != 0;
  const auto offset = [&](const void* field) {
    return static_cast<uint32_t>(static_cast<const std::byte*>(field) -
                                 reinterpret_cast<const std::byte*>(&all));
  };
  MicroOp op = first.op();
  op.d = offset(to_predicate ? &all.result_predicate : all.d);
  op.a = kind == Meets::kVote ? offset(&all.source_predicate)
         : wide               ? offset(all.wide)
                              : offset(all.a);
  op.b = offset(all.b);
  op.c = offset(all.c);
  op.extra = 0;
  op.flags = qualifiers(*first.split);
  const uint32_t pool[2] = {offset(all.members), offset(&all.result_predicate)};
  std::byte* const regs = w.regs;
  const uint32_t* const pool_before = w.pool;
  w.regs = reinterpret_cast<std::byte*>(&all);
  w.pool = pool;
  op.masked(w, &op, lanes);
  w.regs = regs;
  w.pool = pool_before;
  for (const Comer& comer : comers) take(comer, all);
}

// The team's lanes leave their splits, whose other lanes come to the instruction anew.
void go_on(Warp& w, const std::vector<Comer>& comers) {
  std::vector<Split> gone;
  for (const Comer& comer : comers) {
    Split& s = *comer.split;
    gone.push_back({s.op + 1, s.frame, comer.lanes, {}, false});
    s.lanes &= ~comer.lanes;
    s.wait = {};
  }
  std::erase_if(w.parked, [](const Split& s) { return s.lanes == 0; });
  w.parked.insert(w.parked.end(), gone.begin(), gone.end());
}

}  // namespace

bool meet_in_teams(Warp& w, size_t least_splits) {
  std::vector<Comer> comers;
  for (Split& one : w.parked) {
    if (!waits(one)) continue;
    const uint32_t* const masks =
        reinterpret_cast<const uint32_t*>(one.frame->regs + one.frame->code->pool[one.op->extra]);
    for (uint32_t rest = one.lanes; rest != 0;) {
      const uint32_t members = masks[std::countr_zero(rest)];
      uint32_t here = 0;
      comers.clear();
      for (Split& other : w.parked) {
        if (!waits(other) || !meets(one, other)) continue;
        const uint32_t lanes = lanes_with(other, members);
        if (lanes == 0) continue;
        comers.push_back({&other, lanes});
        here |= lanes;
      }
      if (comers.size() >= least_splits && (members & w.live & ~here) == 0) {
        run_together(w, comers, members);
        go_on(w, comers);
        return true;
      }
      rest &= rest - 1;
      rest &= ~lanes_with(one, members);
    }
  }
  return false;
}

}  // namespace tcd::emu
