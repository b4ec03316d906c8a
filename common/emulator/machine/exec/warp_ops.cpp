// Instructions by which lanes see each other (PTX ISA 9.7.9.6 shfl, 9.7.13 vote, match, redux,
// bar.warp.sync). With a member mask they wait until every lane named stands here, or at another
// such instruction (machine/teams.h).
#include "checks/barriers.h"
#include "machine/cta.h"
#include "machine/exec/lanes.h"

namespace tcd::emu::TCD_ISA_NAMESPACE {
namespace {

// Lanes that pass one member mask act together. Tiles of a warp pass different ones, and may come
// here at once: act(lanes, members) for each. The mask is a row at pool[extra]. Lanes that their
// own mask leaves out act with the others of that mask, and are told.
template <class Act>
const MicroOp* by_members(Warp& w, const MicroOp* op, u32 mask, Meets meets, const Act& act) {
  const u32* const masks = row<u32>(w, w.pool[op->extra]);
  const auto alike = [&](u32 lanes, u32 members) {
    u32 same = 0;
    for (int i = 0; i < kLanes; ++i) same |= masks[i] == members ? kLaneBit[i] : 0;
    return same & lanes;
  };
  for (u32 rest = mask; rest != 0;) {
    const u32 members = masks[std::countr_zero(rest)];
    if ((members & w.live & ~mask) != 0) return w.wait_for_lanes(op, members, meets);
    rest &= ~alike(rest, members);
  }
  for (u32 rest = mask; rest != 0;) {
    const u32 members = masks[std::countr_zero(rest)], lanes = alike(rest, members);
    if (__builtin_expect(lanes != (members & mask), 0)) {
      check_member_mask(w, op, lanes, members, mask);
    }
    act(lanes, (members & lanes) != 0 ? members & lanes : lanes);
    rest &= ~lanes;
  }
  return op + 1;
}

enum class Shuffle { kUp, kDown, kBfly, kIdx };

// d|p = shfl a, b, c: pool[extra + 1] is p's offset (0: none).
template <Shuffle kMode>
const MicroOp* shfl(Warp& w, const MicroOp* op, u32 mask) {
  if (by_members(w, op, mask, Meets::kShuffle, [](u32, u32) {}) == nullptr) return nullptr;
  alignas(64) u32 source[kLanes];
  std::memcpy(source, row<u32>(w, op->a), sizeof source);
  const u32* b = row<u32>(w, op->b);
  const u32* c = row<u32>(w, op->c);
  u32* d = row<u32>(w, op->d);
  u32 inside = 0;
  alignas(64) u32 result[kLanes];
  for (int i = 0; i < kLanes; ++i) {
    const s32 lane = i, amount = static_cast<s32>(b[i] & 31);
    const s32 segment = static_cast<s32>(c[i] >> 8 & 31), clamp = static_cast<s32>(c[i] & 31);
    const s32 max_lane = (lane & segment) | (clamp & ~segment), min_lane = lane & segment;
    s32 from = 0;
    bool valid = false;
    switch (kMode) {
      case Shuffle::kUp:
        from = lane - amount, valid = from >= max_lane;
        break;
      case Shuffle::kDown:
        from = lane + amount, valid = from <= max_lane;
        break;
      case Shuffle::kBfly:
        from = lane ^ amount, valid = from <= max_lane;
        break;
      case Shuffle::kIdx:
        from = min_lane | (amount & ~segment), valid = from <= max_lane;
        break;
    }
    result[i] = source[valid ? from : lane];
    inside |= u32{valid} << i;
  }
  for (int i = 0; i < kLanes; ++i) d[i] = (mask & kLaneBit[i]) != 0 ? result[i] : d[i];
  if (const u32 p = w.pool[op->extra + 1]; p != 0) write_predicate(w, p, inside, mask);
  return op + 1;
}

// flags: 0 all, 1 any, 2 uni, 3 ballot; bit 2: the source predicate is negated.
const MicroOp* vote(Warp& w, const MicroOp* op, u32 mask) {
  const u32 flip = (op->flags & 4) != 0 ? kAllLanes : 0;
  const u32 source = predicate(w, op->a) ^ flip;
  return by_members(w, op, mask, Meets::kVote, [&](u32 lanes, u32 here) {
    const u32 p = source & here;
    switch (op->flags & 3) {
      case 0:
        write_predicate(w, op->d, p == here ? kAllLanes : 0, lanes);
        break;
      case 1:
        write_predicate(w, op->d, p != 0 ? kAllLanes : 0, lanes);
        break;
      case 2:
        write_predicate(w, op->d, p == 0 || p == here ? kAllLanes : 0, lanes);
        break;
      default: {
        u32* d = row<u32>(w, op->d);
        each_lane(lanes, [&](int i) { d[i] = p; });
      }
    }
  });
}

// flags bit 0: 64-bit values.
u64 value_of(Warp& w, const MicroOp* op, int lane) {
  return (op->flags & 1) != 0 ? row<u64>(w, op->a)[lane] : row<u32>(w, op->a)[lane];
}

const MicroOp* match_any(Warp& w, const MicroOp* op, u32 mask) {
  u32 result[kLanes] = {};
  const MicroOp* const next = by_members(w, op, mask, Meets::kMatch, [&](u32, u32 here) {
    each_lane(here, [&](int i) {
      each_lane(here,
                [&](int j) { result[i] |= u32{value_of(w, op, i) == value_of(w, op, j)} << j; });
    });
  });
  if (next == nullptr) return nullptr;
  u32* d = row<u32>(w, op->d);
  each_lane(mask, [&](int i) { d[i] = result[i]; });
  return next;
}

const MicroOp* match_all(Warp& w, const MicroOp* op, u32 mask) {
  u32 result[kLanes] = {}, agreeing = 0;
  const MicroOp* const next = by_members(w, op, mask, Meets::kMatch, [&](u32 lanes, u32 here) {
    const u64 first = value_of(w, op, std::countr_zero(here));
    bool same = true;
    each_lane(here, [&](int i) { same &= value_of(w, op, i) == first; });
    if (!same) return;
    agreeing |= lanes;
    each_lane(lanes, [&](int i) { result[i] = here; });
  });
  if (next == nullptr) return nullptr;
  u32* d = row<u32>(w, op->d);
  each_lane(mask, [&](int i) { d[i] = result[i]; });
  if (const u32 p = w.pool[op->extra + 1]; p != 0) write_predicate(w, p, agreeing, mask);
  return next;
}

u32 reduce_two(u32 how, u32 r, u32 v) {
  switch (how) {
    case 0:
      return r + v;
    case 1:
      return static_cast<s32>(v) < static_cast<s32>(r) ? v : r;
    case 2:
      return v < r ? v : r;
    case 3:
      return static_cast<s32>(v) > static_cast<s32>(r) ? v : r;
    case 4:
      return v > r ? v : r;
    case 5:
      return r & v;
    case 6:
      return r | v;
    default:
      return r ^ v;
  }
}

// flags: 0 add, 1 min.s, 2 min.u, 3 max.s, 4 max.u, 5 and, 6 or, 7 xor. The result may be where the
// operand is.
const MicroOp* redux(Warp& w, const MicroOp* op, u32 mask) {
  const u32* a = row<u32>(w, op->a);
  u32* d = row<u32>(w, op->d);
  return by_members(w, op, mask, Meets::kRedux, [&](u32 lanes, u32 here) {
    u32 r = a[std::countr_zero(here)];
    each_lane(here & (here - 1), [&](int i) { r = reduce_two(op->flags, r, a[i]); });
    each_lane(lanes, [&](int i) { d[i] = r; });
  });
}

const MicroOp* activemask(Warp& w, const MicroOp* op, u32 mask) {
  u32* d = row<u32>(w, op->d);
  each_lane(mask, [&](int i) { d[i] = mask; });
  return op + 1;
}

// Elects the lowest lane of the member mask (PTX leaves the choice open).
const MicroOp* elect(Warp& w, const MicroOp* op, u32 mask) {
  u32* d = row<u32>(w, op->d);
  return by_members(w, op, mask, Meets::kElect, [&](u32 lanes, u32 here) {
    const int leader = std::countr_zero(here);
    each_lane(lanes, [&](int i) { d[i] = static_cast<u32>(leader); });
    if (const u32 p = w.pool[op->extra + 1]; p != 0) write_predicate(w, p, 1u << leader, lanes);
  });
}

const MicroOp* bar_warp_sync(Warp& w, const MicroOp* op, u32 mask) {
  const MicroOp* const next = by_members(w, op, mask, Meets::kBarrier, [](u32, u32) {});
  if (next != nullptr && w.shadow != nullptr) w.shadow->cta->warp_synchronised(w.id);
  return next;
}

}  // namespace

void fill_warp(Table& t) {
  bind_handler(t, Micro::shfl_up, &shfl<Shuffle::kUp>);
  bind_handler(t, Micro::shfl_down, &shfl<Shuffle::kDown>);
  bind_handler(t, Micro::shfl_bfly, &shfl<Shuffle::kBfly>);
  bind_handler(t, Micro::shfl_idx, &shfl<Shuffle::kIdx>);
  bind_handler(t, Micro::vote, &vote);
  bind_handler(t, Micro::match_any, &match_any);
  bind_handler(t, Micro::match_all, &match_all);
  bind_handler(t, Micro::redux, &redux);
  bind_handler(t, Micro::activemask, &activemask);
  bind_handler(t, Micro::elect, &elect);
  bind_handler(t, Micro::bar_warp_sync, &bar_warp_sync);
}

}  // namespace tcd::emu::TCD_ISA_NAMESPACE
