// A card's answers beside the emulator's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tensor/tests/card/random_tiles.h"

namespace tcd::emu::card {

// What came out for one instruction and one kind of tile.
struct Cell {
  int op = 0;
  Kind kind{};
  int64_t tiles = 0, differ = 0;   // differ: register elements
  uint64_t digest = kDigestStart;  // of the card's answers to the first kDigestTiles
  std::vector<std::string> lines;  // the first differences, with their inputs
};

inline constexpr int kDigestTiles = 64;
inline constexpr size_t kKeptLines = 24;

// Adds one tile: rows holds A, B and C; card and emulator D.
void compare_tile(const TileOp& op, Kind kind, int64_t index, const Row* rows, const Row* card,
                  const Row* emulator, Cell& cell);

}  // namespace tcd::emu::card
