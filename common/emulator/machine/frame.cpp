// Fills a frame's rows that are not registers: constants, parameters, special registers.
#include <algorithm>
#include <cstring>

#include "machine/cta.h"

namespace tcd::emu {
namespace {

void broadcast(std::byte* row, uint32_t width, uint64_t value) {
  if (width == 8) {
    std::fill_n(reinterpret_cast<uint64_t*>(row), kLanes, value);
  } else {
    std::fill_n(reinterpret_cast<uint32_t*>(row), kLanes, static_cast<uint32_t>(value));
  }
}

uint64_t grid_workspace(const Launch& l) {
  return l.cooperative ? reinterpret_cast<uint64_t>(&l.grid_workspace) : 0;
}

uint64_t special_value(const Warp& w, Special which, uint32_t lane, uint32_t local_base) {
  const Launch& l = *w.launch;
  const Cta& cta = *w.cta;
  const uint32_t thread = w.id * kLanes + lane;
  switch (which) {
    case Special::kTidX:
      return thread % l.block.x;
    case Special::kTidY:
      return thread / l.block.x % l.block.y;
    case Special::kTidZ:
      return thread / l.block.x / l.block.y;
    case Special::kNtidX:
      return l.block.x;
    case Special::kNtidY:
      return l.block.y;
    case Special::kNtidZ:
      return l.block.z;
    case Special::kCtaidX:
      return cta.x;
    case Special::kCtaidY:
      return cta.y;
    case Special::kCtaidZ:
      return cta.z;
    case Special::kNctaidX:
      return l.grid.x;
    case Special::kNctaidY:
      return l.grid.y;
    case Special::kNctaidZ:
      return l.grid.z;
    case Special::kLaneId:
      return lane;
    case Special::kWarpId:
      return w.id;
    case Special::kNwarpId:
      return static_cast<uint64_t>(l.profile->threads_per_sm) / kLanes;
    case Special::kSmId:
      return cta.index % static_cast<uint64_t>(l.profile->sm_count);
    case Special::kNsmId:
      return static_cast<uint64_t>(l.profile->sm_count);
    case Special::kGridId:
      return l.grid_id;
    case Special::kLanemaskEq:
      return uint64_t{1} << lane;
    case Special::kLanemaskLt:
      return (uint64_t{1} << lane) - 1;
    case Special::kLanemaskLe:
      return (uint64_t{2} << lane) - 1;
    case Special::kLanemaskGt:
      return ~((uint64_t{2} << lane) - 1) & kAllLanes;
    case Special::kLanemaskGe:
      return ~((uint64_t{1} << lane) - 1) & kAllLanes;
    case Special::kDynamicSmem:
      return l.dynamic_shared_bytes;
    case Special::kTotalSmem:
      return l.shared_bytes;
    case Special::kGridWorkspaceHigh:
      return grid_workspace(l) >> 32;
    case Special::kGridWorkspaceLow:
      return grid_workspace(l) & 0xffffffffu;
    case Special::kLocalBase:
      return local_base;
    case Special::kOne:
      return 1;
    case Special::kZero:
      return 0;
  }
  return 0;
}

}  // namespace

void fill_frame_image(const Launch& launch, const Code& code, std::byte* frame) {
  std::memset(frame, 0, code.frame_bytes);
  std::memset(frame + kTrueOffset, 0xff, 4);
  for (const auto& c : code.constants) broadcast(frame + c.offset, c.width, c.value);
  for (const auto& p : code.params) {
    uint64_t value = 0;
    std::memcpy(&value, launch.params.data() + p.param_offset, p.bytes);
    if (p.is_signed && p.bytes < 8) {
      const uint32_t shift = 64 - 8 * p.bytes;
      value = static_cast<uint64_t>(static_cast<int64_t>(value << shift) >> shift);
    }
    broadcast(frame + p.offset, p.width, p.half ? value & 0xffff : value);
  }
}

void fill_frame_specials(const Warp& warp, const Code& code, std::byte* frame,
                         uint32_t local_base) {
  for (const auto& s : code.specials) {
    for (uint32_t i = 0; i < kLanes; ++i) {
      const uint64_t value = special_value(warp, s.which, i, local_base) + s.addend;
      if (s.width == 8) {
        reinterpret_cast<uint64_t*>(frame + s.offset)[i] = value;
      } else {
        reinterpret_cast<uint32_t*>(frame + s.offset)[i] = static_cast<uint32_t>(value);
      }
    }
  }
}

}  // namespace tcd::emu
