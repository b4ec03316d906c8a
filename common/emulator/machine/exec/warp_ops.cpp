// Instructions by which lanes see each other (PTX ISA 9.7.9.6 shfl, 9.7.13 vote, match, redux).
// With a member mask they wait until every lane named stands here.
#include "machine/exec/lanes.h"

namespace tcd::emu::TCD_ISA_NAMESPACE {
namespace {

// The member mask is a row at pool[extra]; all participants must pass the same one.
u32 members_of(Warp& w, const MicroOp* op, u32 mask) {
  return row<u32>(w, w.pool[op->extra])[std::countr_zero(mask)];
}

inline bool all_here(Warp& w, u32 members, u32 mask) { return (members & w.live & ~mask) == 0; }

enum class Shuffle { kUp, kDown, kBfly, kIdx };

// d|p = shfl a, b, c: pool[extra + 1] is p's offset (0: none).
template <Shuffle kMode>
const MicroOp* shfl(Warp& w, const MicroOp* op, u32 mask) {
  const u32 members = members_of(w, op, mask);
  if (!all_here(w, members, mask)) return w.wait_for_lanes(op, members);
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
  const u32 members = members_of(w, op, mask);
  if (!all_here(w, members, mask)) return w.wait_for_lanes(op, members);
  const u32 here = members & mask;
  const u32 p = (predicate(w, op->a) ^ ((op->flags & 4) != 0 ? kAllLanes : 0)) & here;
  switch (op->flags & 3) {
    case 0:
      write_predicate(w, op->d, p == here ? kAllLanes : 0, mask);
      break;
    case 1:
      write_predicate(w, op->d, p != 0 ? kAllLanes : 0, mask);
      break;
    case 2:
      write_predicate(w, op->d, p == 0 || p == here ? kAllLanes : 0, mask);
      break;
    default: {
      u32* d = row<u32>(w, op->d);
      each_lane(mask, [&](int i) { d[i] = p; });
    }
  }
  return op + 1;
}

// flags bit 0: 64-bit values.
u64 value_of(Warp& w, const MicroOp* op, int lane) {
  return (op->flags & 1) != 0 ? row<u64>(w, op->a)[lane] : row<u32>(w, op->a)[lane];
}

const MicroOp* match_any(Warp& w, const MicroOp* op, u32 mask) {
  const u32 members = members_of(w, op, mask);
  if (!all_here(w, members, mask)) return w.wait_for_lanes(op, members);
  u32 result[kLanes] = {};
  each_lane(members & mask, [&](int i) {
    each_lane(members & mask,
              [&](int j) { result[i] |= u32{value_of(w, op, i) == value_of(w, op, j)} << j; });
  });
  u32* d = row<u32>(w, op->d);
  each_lane(mask, [&](int i) { d[i] = result[i]; });
  return op + 1;
}

const MicroOp* match_all(Warp& w, const MicroOp* op, u32 mask) {
  const u32 members = members_of(w, op, mask);
  if (!all_here(w, members, mask)) return w.wait_for_lanes(op, members);
  const u64 first = value_of(w, op, std::countr_zero(members & mask));
  bool same = true;
  each_lane(members & mask, [&](int i) { same &= value_of(w, op, i) == first; });
  u32* d = row<u32>(w, op->d);
  each_lane(mask, [&](int i) { d[i] = same ? members : 0; });
  if (const u32 p = w.pool[op->extra + 1]; p != 0) {
    write_predicate(w, p, same ? kAllLanes : 0, mask);
  }
  return op + 1;
}

// flags: 0 add, 1 min.s, 2 min.u, 3 max.s, 4 max.u, 5 and, 6 or, 7 xor.
const MicroOp* redux(Warp& w, const MicroOp* op, u32 mask) {
  const u32 members = members_of(w, op, mask);
  if (!all_here(w, members, mask)) return w.wait_for_lanes(op, members);
  const u32* a = row<u32>(w, op->a);
  const u32 here = members & mask;
  u32 r = a[std::countr_zero(here)];
  each_lane(here & (here - 1), [&](int i) {
    const u32 v = a[i];
    switch (op->flags) {
      case 0:
        r += v;
        break;
      case 1:
        r = static_cast<s32>(v) < static_cast<s32>(r) ? v : r;
        break;
      case 2:
        r = v < r ? v : r;
        break;
      case 3:
        r = static_cast<s32>(v) > static_cast<s32>(r) ? v : r;
        break;
      case 4:
        r = v > r ? v : r;
        break;
      case 5:
        r &= v;
        break;
      case 6:
        r |= v;
        break;
      default:
        r ^= v;
        break;
    }
  });
  u32* d = row<u32>(w, op->d);
  each_lane(mask, [&](int i) { d[i] = r; });
  return op + 1;
}

const MicroOp* activemask(Warp& w, const MicroOp* op, u32 mask) {
  u32* d = row<u32>(w, op->d);
  each_lane(mask, [&](int i) { d[i] = mask; });
  return op + 1;
}

// Elects the lowest lane of the member mask (PTX leaves the choice open).
const MicroOp* elect(Warp& w, const MicroOp* op, u32 mask) {
  const u32 members = members_of(w, op, mask);
  if (!all_here(w, members, mask)) return w.wait_for_lanes(op, members);
  const int leader = std::countr_zero(members & mask);
  u32* d = row<u32>(w, op->d);
  each_lane(mask, [&](int i) { d[i] = static_cast<u32>(leader); });
  if (const u32 p = w.pool[op->extra + 1]; p != 0) write_predicate(w, p, 1u << leader, mask);
  return op + 1;
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
}

}  // namespace tcd::emu::TCD_ISA_NAMESPACE
