#include "tensor/tests/card/compare.h"

#include <cstdio>
#include <cstring>

#include "tensor/fragment.h"

namespace tcd::emu::card {
namespace {

void append(std::string& out, const char* format, auto... values) {
  char text[96];
  std::snprintf(text, sizeof text, format, values...);
  out += text;
}

// "op,kind,tile,row,column,A's words of the row,B's of the column,c,card,emulator". A word holds
// neighbouring k, lowest bits first. wmma: register and lane instead, its inputs follow from the
// tile's number.
std::string describe(const TileOp& op, Kind kind, int64_t index, int r, int lane, int half,
                     const Row* rows, const Row* card, const Row* emulator) {
  std::string out = op.name() + "," + std::string(name_of(kind));
  append(out, ",%lld", static_cast<long long>(index));
  const bool halves = op.d_format == Format::kF16;
  auto value = [&](const Row* d) {
    const uint32_t word = d[r].lane[lane];
    return halves ? word >> 16 * half & 0xffff : word;
  };
  if (op.a == 8) {
    append(out, ",register %d,lane %d,,,", r, lane);
  } else {
    const tcd::emu::Cell at = c_cell(lane, halves ? 2 * r + half : r);
    append(out, ",%d,%d,", at.row, at.col);
    const int row_blocks = op.a / op.b;  // 2: 16 rows
    for (int block = 0; block < op.b; ++block) {
      for (int t = 0; t < 4; ++t) {
        const Row& a = rows[block * row_blocks + at.row / 8];
        append(out, "%s%08x", block + t == 0 ? "" : " ", a.lane[4 * (at.row % 8) + t]);
      }
    }
    out += ",";
    for (int block = 0; block < op.b; ++block) {
      for (int t = 0; t < 4; ++t) {
        append(out, "%s%08x", block + t == 0 ? "" : " ", rows[op.a + block].lane[4 * at.col + t]);
      }
    }
    append(out, ",%x", value(rows + op.a + op.b));
  }
  append(out, ",%x,%x", value(card), value(emulator));
  return out;
}

}  // namespace

void compare_tile(const TileOp& op, Kind kind, int64_t index, const Row* rows, const Row* card,
                  const Row* emulator, Cell& cell) {
  ++cell.tiles;
  if (std::memcmp(card, emulator, sizeof(Row) * size_t(op.d)) == 0) return;
  for (int r = 0; r < op.d; ++r) {
    for (int lane = 0; lane < kLanes; ++lane) {
      const uint32_t wrong = card[r].lane[lane] ^ emulator[r].lane[lane];
      const bool halves = op.d_format == Format::kF16;
      for (int half = 0; half < (halves ? 2 : 1); ++half) {
        if ((halves ? wrong >> 16 * half & 0xffff : wrong) == 0) continue;
        ++cell.differ;
        if (cell.lines.size() < kKeptLines) {
          cell.lines.push_back(describe(op, kind, index, r, lane, half, rows, card, emulator));
        }
      }
    }
  }
}

}  // namespace tcd::emu::card
