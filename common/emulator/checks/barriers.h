#pragma once

#include <cstdint>

namespace tcd::emu {

struct MicroOp;
struct Warp;

// All live lanes of the warp have come to a CTA barrier: through one instruction? bar.sync and its
// kin are .aligned, so anything else is undefined (PTX ISA 9.7.13.1), although hardware since Volta
// often lets it pass. barrier.sync without .aligned may be split.
void check_barrier_arrival(Warp& warp);

// `lanes` came with the mask `members`, and not all it names did, or others too. here: all lanes
// that run the instruction now.
void check_member_mask(Warp& warp, const MicroOp* op, uint32_t lanes, uint32_t members,
                       uint32_t here);

}  // namespace tcd::emu
