#pragma once

namespace tcd::emu {

struct Warp;

// All live lanes of the warp have come to a CTA barrier: through one instruction? bar.sync and its
// kin are .aligned, so anything else is undefined (PTX ISA 9.7.13.1), although hardware since Volta
// often lets it pass. barrier.sync without .aligned may be split.
void check_barrier_arrival(Warp& warp);

}  // namespace tcd::emu
