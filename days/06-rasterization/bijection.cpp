// Does every CTA make a tile of its own? Asked of the very function the kernel calls, of every grid
// up to 40×40 in every grouping: 28 million tiles, a fraction of a second.
#include <algorithm>

#include "day.h"
#include "harness/dram_model.h"

namespace day {

namespace {

using Map = TilePosition (*)(int index, int rows, int columns, int group);

constexpr int kLargest = 40;

std::string text(const TilePosition& tile) {
  return "(" + std::to_string(tile.row) + ", " + std::to_string(tile.column) + ")";
}

// Checks one grid in one grouping after the other, and stops at the first that is wrong.
class BijectionCheck {
 public:
  explicit BijectionCheck(Map map) : map_(map) {}

  void grid(int rows, int columns, int group) {
    if (!fault_.empty()) return;
    maker_.assign(static_cast<size_t>(rows) * columns, -1);
    const std::string where = "a grid of " + std::to_string(rows) + "×" + std::to_string(columns) +
                              " tiles, G = " + std::to_string(group) + ": CTA ";
    for (int index = 0; index < rows * columns; ++index, ++tiles_) {
      const TilePosition tile = map_(index, rows, columns, group);
      const bool inside =
          tile.row >= 0 && tile.row < rows && tile.column >= 0 && tile.column < columns;
      if (!inside) {
        fault_ = where + std::to_string(index) + " makes tile " + text(tile) + ", outside the grid";
        return;
      }
      int& maker = maker_[static_cast<size_t>(tile.row) * columns + tile.column];
      if (maker >= 0) {
        fault_ = where + std::to_string(index) + " makes tile " + text(tile) +
                 " again, after CTA " + std::to_string(maker);
        return;
      }
      maker = index;
      compare(index, rows, columns, group, tile, where);
    }
  }

  int64_t tiles() const { return tiles_; }
  const std::string& fault() const { return fault_; }

 private:
  // The DRAM model has its own map: it must model the order that runs.
  void compare(int index, int rows, int columns, int group, const TilePosition& tile,
               const std::string& where) {
    const auto other = tcd::harness::grouped_tile(index, rows, columns, group);
    if (static_cast<int>(other.row) == tile.row && static_cast<int>(other.column) == tile.column) {
      return;
    }
    fault_ = where + std::to_string(index) + " makes tile " + text(tile) + ", the DRAM model has " +
             text({static_cast<int>(other.row), static_cast<int>(other.column)});
  }

  Map map_;
  std::vector<int> maker_;  // of each tile: the index of its CTA, or -1
  int64_t tiles_ = 0;
  std::string fault_;
};

BijectionCheck check_all(Map map) {
  BijectionCheck check(map);
  for (int rows = 1; rows <= kLargest; ++rows) {
    for (int columns = 1; columns <= kLargest; ++columns) {
      for (int group = 1; group <= kLargest + 1; ++group) check.grid(rows, columns, group);
    }
  }
  for (int side : {32, 64}) {
    for (int group = 1; group <= side + 1; ++group) check.grid(side, side, group);
  }
  return check;
}

// The map as one writes it first: right wherever G divides the rows.
TilePosition without_remainder(int index, int, int columns, int group) {
  const int first_row = index / (group * columns) * group;
  const int in_group = index - first_row * columns;
  return {first_row + in_group % group, in_group / group};
}

}  // namespace

std::vector<tcd::GateResult> gate_bijection() {
  using tcd::GateResult;
  const std::string name = "bijection, grids to 40×40 and G to 41";
  const std::string control = "control: the map without its remainder";
  const BijectionCheck real = check_all(rasterize), broken = check_all(without_remainder);
  std::vector<GateResult> gates;
  if (real.fault().empty()) {
    gates.push_back(GateResult::pass(
        name, real.tiles(),
        "passed (" + tcd::with_separators(real.tiles()) + " tiles, each made once)"));
  } else {
    gates.push_back(GateResult::fail(name, std::max<int64_t>(1, real.tiles()), {real.fault()}));
  }
  if (broken.fault().empty()) {
    gates.push_back(GateResult::fail(
        control, broken.tiles(), {"the check found nothing wrong with it, so it checks nothing"}));
  } else {
    gates.push_back(
        GateResult::pass(control, broken.tiles() + 1, "passed: noticed (" + broken.fault() + ")"));
  }
  return gates;
}

}  // namespace day
