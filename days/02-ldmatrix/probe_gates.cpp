// What ldmatrix must deliver, by the tables of ptx/fragment_ldmatrix.h: x1, x2, x4 and .trans.
#include <cmath>
#include <string>
#include <vector>

#include "day.h"
#include "probe.h"
#include "ptx/fragment_ldmatrix.h"

namespace day {

namespace {

namespace fragment = tcd::fragment;
using Tiles = std::array<int, 4>;
constexpr Tiles kInOrder = {0, 1, 2, 3};
constexpr Tiles kMiddleExchanged = {0, 2, 1, 3};
constexpr int kGroupCells = 16 * 16;

std::string name_of_value(float value) {
  if (std::isnan(value)) return "NaN: the register was never written";
  const int cell = static_cast<int>(value);
  const int tile = cell / (kTileRows * kTileColumns);
  return "tile " + std::to_string(tile) + " (" + std::to_string(cell / kTileColumns % kTileRows) +
         "," + std::to_string(cell % kTileColumns) + ")";
}

float expected(int lane, int tile, int half, bool transposed) {
  const fragment::Coord at = fragment::ldmatrix_element(lane, half, transposed);
  return static_cast<float>(cell_value(tile, at.row, at.col));
}

// Every half of every register: lane l gets row l / 4, columns 2·(l % 4) and the next, of each
// tile.
tcd::GateResult gate_load(const std::string& name, const LoadedRegisters& registers, int matrices,
                          const Tiles& tiles, bool transposed) {
  int wrong = 0, untransposed = 0;
  std::string first;
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < matrices; ++i) {
      for (int half = 0; half < 2; ++half) {
        const float want = expected(lane, tiles[i], half, transposed);
        const float got = registers[lane][i][half];
        if (got == want) continue;
        ++wrong;
        untransposed += got == expected(lane, tiles[i], half, !transposed);
        if (!first.empty()) continue;
        first = "first: lane " + std::to_string(lane) + ", register " + std::to_string(i) +
                (half ? ", high half" : ", low half") + ": expected " + name_of_value(want) +
                ", got " + name_of_value(got);
      }
    }
  }
  const int checked = matrices * kTileRows * kTileColumns;
  if (wrong == 0) {
    return tcd::GateResult::pass(
        name, checked, "all " + std::to_string(checked) + " elements are where the table says");
  }
  std::vector<std::string> lines = {
      std::to_string(wrong) + " of " + std::to_string(checked) + " elements are elsewhere", first};
  if (untransposed == wrong) {
    lines.push_back(transposed ? "looks like: .trans is missing"
                               : "looks like: .trans where there should be none");
  }
  return tcd::GateResult::fail(name, checked, lines);
}

std::string lane_text(const LoadedRegisters& registers, int matrices, int lane) {
  std::string text = "  lane " + std::to_string(lane) + ": ";
  for (int i = 0; i < matrices; ++i) {
    text += (i ? ", r" : "r") + std::to_string(i) + " = " + name_of_value(registers[lane][i][0]) +
            " " + name_of_value(registers[lane][i][1]);
  }
  return text;
}

// The four tiles as one 16×16 matrix, tiles 0 1 above tiles 2 3. How many elements are where the
// transpose of that matrix has them, register i being its i-th quarter in reading order?
int in_place_of_group_transpose(const LoadedRegisters& registers) {
  int held = 0;
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 4; ++i) {
      const int tile = i % 2 * 2 + i / 2;  // the quarters above and below the diagonal trade places
      for (int half = 0; half < 2; ++half) {
        held += registers[lane][i][half] == expected(lane, tile, half, true);
      }
    }
  }
  return held;
}

bool probe(Session& session, const std::string& name, Load load, Control control) {
  LoadedRegisters registers = run_load(load, kInOrder);
  const int matrices = matrices_of(load);
  if (control == Control::kSwappedFragments && matrices > 1) {
    for (auto& lane : registers) std::swap(lane[0], lane[1]);
  }
  session.say(name + ":");
  for (int lane : {0, 5, 31}) session.say(lane_text(registers, matrices, lane));
  return session.gate(gate_load(name, registers, matrices, kInOrder, load == Load::kX4Trans));
}

}  // namespace

void probe_ldmatrix(Session& session, Control control) {
  session.section("ldmatrix, one warp: tile (row,column) that each register received");
  bool plain = probe(session, "ldmatrix.x1", Load::kX1, control);
  plain = probe(session, "ldmatrix.x2", Load::kX2, control) && plain;
  plain = probe(session, "ldmatrix.x4", Load::kX4, control) && plain;
  session.predict(1, "lane l receives row l / 4, columns 2·(l % 4) and the next, of every tile",
                  plain);

  const bool forgotten = control == Control::kTransposedA;
  const LoadedRegisters turned = run_load(forgotten ? Load::kX4 : Load::kX4Trans, kInOrder);
  session.say("ldmatrix.x4.trans:");
  for (int lane : {0, 5, 31}) session.say(lane_text(turned, 4, lane));
  const bool each = session.gate(gate_load("ldmatrix.x4.trans", turned, 4, kInOrder, true));
  const int held = in_place_of_group_transpose(turned);
  session.say("of the 16×16 matrix that the four tiles make on paper, " + std::to_string(held) +
              " of 256 elements are where its transpose has them");
  session.predict(2, ".trans turns each 8×8 tile; two of the four then stand in the wrong quarter",
                  each && held == kGroupCells / 2);

  const LoadedRegisters group = run_load(Load::kX4Trans, kMiddleExchanged);
  const bool whole = in_place_of_group_transpose(group) == kGroupCells;
  const std::string name = "16×16 transpose: .x4.trans, tiles 1 and 2 named in exchanged order";
  session.gate(whole ? tcd::GateResult::pass(name, kGroupCells)
                     : tcd::GateResult::fail(name, kGroupCells, {"some elements are elsewhere"}));
}

}  // namespace day
