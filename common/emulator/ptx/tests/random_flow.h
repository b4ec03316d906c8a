// Random control flow as PTX text.
#pragma once

#include <cstdint>
#include <random>
#include <string>

namespace tcd::emu::ptx {

struct RandomFlow {
  bool has_jumps_out = false;  // break, continue and return inside loops
};

// Nested if / while / do-while / switch; every block explicit, then shuffled, so that the order of
// the text says nothing. Which blocks fall through depends on who happens to follow.
std::string random_structured_body(uint64_t seed, RandomFlow options);

// Any block may go to any block.
std::string random_tangled_body(uint64_t seed);

}  // namespace tcd::emu::ptx
