// Every candidate is gated on this device before it is timed.
#pragma once

#include "bench/inputs.h"
#include "harness/session.h"

namespace tcd::bench {

// Mistakes made on purpose, which the gate of the full size must name.
enum class Spoil {
  kNothing,
  kOneBit,    // one element off by one unit in the last place
  kUnwritten  // nothing is launched
};
// Throws harness::UsageError for a name it does not know; "" is kNothing.
Spoil parse_spoil(const std::string& name);

// A day's kernel on a few tiles, FP16 and FP32 output, with guard bands and padded rows.
bool gate_few_tiles(harness::Session& session, const Candidate& candidate);

// All candidates at the size that will be timed, on exact inputs, against one integer reference.
// Sets `passed`; fills the inputs with the exact ones.
void gate_full_size(harness::Session& session, std::vector<Candidate>& candidates, Inputs& inputs,
                    Spoil spoil = Spoil::kNothing);

}  // namespace tcd::bench
