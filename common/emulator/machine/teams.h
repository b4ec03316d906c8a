// Instructions with a member mask that lanes run from different places of the code.
#pragma once

#include "machine/warp.h"

namespace tcd::emu {

// The lanes that a member mask names meet at instructions with the same qualifiers, wherever these
// stand: in two branches of an `if`, in two calls of a function (PTX ISA 9.7.9.6, 9.7.13, from
// sm_70). Looks at the warp's waiting splits for teams whose lanes all stand at such instructions,
// does the instruction for each of these at once, and lets them go on as splits of their own.
// A team is considered if it stands in that many splits or more. True: one went on.
bool meet_in_teams(Warp& warp, size_t least_splits);

}  // namespace tcd::emu
