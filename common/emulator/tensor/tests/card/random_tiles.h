// Random fragments by seed: the same bits on every machine and compiler, so that a card's answers
// can be kept as a digest and compared where there is no card.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "tensor/tests/card/tile_ops.h"

namespace tcd::emu::card {

enum class Kind {
  kNormal,      // exponents around 1
  kSubnormal,   // subnormal inputs, addends, results
  kSpread,      // exponents over the format's whole range, C far above and below the products
  kInfinities,  // some infinities and zeros: infinity, infinity - infinity, infinity * 0
  kNan,         // some NaN, quiet and signalling, with payloads
  kZeros,       // mostly zeros of both signs
  kCancelling,  // neighbouring products that cancel but for the last bits
  kAgainstC,    // C = -(A * B) but for the last bits
  kTies,        // few or all significand bits set: halves to round, carries into the next binade
  kOverflow,    // sums around the largest finite result
  kBits,        // any pattern
  kMixed,       // each element of another kind
  // Integers:
  kAny,       // any pattern
  kExtremes,  // least, largest, 0, 1, -1
  kLimits,    // C around the least and the largest s32: wraps or saturates
  kSparse,    // mostly zeros
};

std::string_view name_of(Kind kind);
std::span<const Kind> kinds_of(const TileOp& op);

// The A, B and C registers of tile number `index`, one after the other.
void random_tile(const TileOp& op, Kind kind, uint64_t seed, uint64_t index,
                 const TensorNumerics& chip, Row* rows);

// FNV-1a over words; begin with kDigestStart.
inline constexpr uint64_t kDigestStart = 0xcbf29ce484222325u;
uint64_t digest(uint64_t so_far, const Row* rows, int count);

}  // namespace tcd::emu::card
