#include <map>

#include "exercises/kinds.h"
#include "harness/dram_model.h"

namespace tcd::exercises {
namespace {

// device/tile_order.cuh's TileGrid and TilePosition, seen from the host.
struct TileGrid {
  int32_t rows, columns, k, resident, l2_mib;
};
struct TilePosition {
  int32_t row, column;
};

// The parameter block of device/tile_order.cu's kernel.
struct OrderParameters {
  uint64_t grids, to;
  int64_t stride;
};

constexpr uint32_t kThreads = 128;

std::vector<std::vector<TilePosition>> ask(Workbench& bench, const std::vector<TileGrid>& grids) {
  size_t stride = 0;
  for (const TileGrid& grid : grids) {
    stride = std::max(stride, static_cast<size_t>(grid.rows * grid.columns));
  }
  std::vector<TilePosition> tiles(grids.size() * stride, TilePosition{-1, -1});
  const OrderParameters parameters = {bench.upload<TileGrid>(grids),
                                      bench.upload<TilePosition>(tiles),
                                      static_cast<int64_t>(stride)};
  bench.launch({static_cast<uint32_t>(grids.size()), 1, 1}, kThreads, 0, as_params(parameters));
  bench.download(parameters.to, tiles.data(), tiles.size() * sizeof(TilePosition));
  std::vector<std::vector<TilePosition>> orders;
  for (size_t i = 0; i < grids.size(); ++i) {
    const auto first = tiles.begin() + static_cast<ptrdiff_t>(i * stride);
    orders.emplace_back(first, first + grids[i].rows * grids[i].columns);
  }
  return orders;
}

std::string text(const TilePosition& tile) {
  return "(" + std::to_string(tile.row) + ", " + std::to_string(tile.column) + ")";
}

// What is wrong with one order; empty when each tile is made once.
std::vector<std::string> complaint(const TileGrid& grid, const std::vector<TilePosition>& order) {
  const std::string where =
      std::to_string(grid.rows) + " × " + std::to_string(grid.columns) + " tiles: ";
  std::map<std::pair<int, int>, size_t> maker;
  for (size_t cta = 0; cta < order.size(); ++cta) {
    const TilePosition& tile = order[cta];
    const std::string name = "CTA " + std::to_string(cta) + " makes tile " + text(tile);
    if (tile.row < 0 || tile.row >= grid.rows || tile.column < 0 || tile.column >= grid.columns) {
      return {where + name + ", which is outside"};
    }
    const auto [at, fresh] = maker.emplace(std::pair(tile.row, tile.column), cta);
    if (fresh) continue;
    return {where + name + ", and so does CTA " + std::to_string(at->second),
            "then another tile is made by nobody: is the last group, or the last block, smaller?"};
  }
  return {};
}

GateResult judge_bijection(const std::vector<TileGrid>& grids,
                           const std::vector<std::vector<TilePosition>>& orders) {
  int64_t checked = 0;
  for (size_t i = 0; i < grids.size(); ++i) {
    checked += static_cast<int64_t>(orders[i].size());
    auto lines = complaint(grids[i], orders[i]);
    if (!lines.empty()) return GateResult::fail("bijection", checked, std::move(lines));
  }
  return GateResult::pass("bijection", checked);
}

GateResult judge_dram(const OrderCase& order, const TileGrid& grid,
                      const std::vector<TilePosition>& tiles) {
  harness::DramModelInput in;
  in.rows = static_cast<uint32_t>(grid.rows);
  in.columns = static_cast<uint32_t>(grid.columns);
  in.k_slices = static_cast<uint32_t>(order.k / kOrderTileK);
  in.resident = static_cast<uint32_t>(order.resident);
  in.l2_bytes = static_cast<uint64_t>(order.l2_mib) << 20;
  in.order = [&](uint64_t i) {
    return harness::TilePosition{static_cast<uint32_t>(tiles[i].row),
                                 static_cast<uint32_t>(tiles[i].column)};
  };
  const auto traffic = harness::model_dram_traffic(in);
  const auto megabytes = [](double bytes) {
    return with_separators(static_cast<int64_t>(bytes / 1e6 + 0.5)) + " MB";
  };
  const std::string name = "DRAM " + order.name;
  const auto read = static_cast<double>(traffic.read_bytes);
  const std::string is = megabytes(read) + " read by the model; A and B once are " +
                         megabytes(static_cast<double>(traffic.compulsory_bytes));
  const auto checked = static_cast<int64_t>(tiles.size());
  if (read <= order.at_most_mb * 1e6) return GateResult::pass(name, checked, is);
  return GateResult::fail(
      name, checked, {is + "; the bar is at most " + megabytes(order.at_most_mb * 1e6), order.why});
}

}  // namespace

std::vector<GateResult> judge_tile_order(const Manifest& manifest, Workbench& bench) {
  const auto& [up_to, cases] = manifest.orders;
  constexpr int kSmallK = 4096, kSmallResident = 48, kSmallL2 = 32;
  std::vector<TileGrid> grids;
  for (int rows = 1; rows <= up_to; ++rows) {
    for (int columns = 1; columns <= up_to; ++columns) {
      grids.push_back({rows, columns, kSmallK, kSmallResident, kSmallL2});
    }
  }
  std::vector<GateResult> gates = {judge_bijection(grids, ask(bench, grids))};
  for (const OrderCase& order : cases) {
    if (!gates.back().passed()) break;
    const TileGrid grid = {order.m / kOrderTile, order.n / kOrderTile, order.k, order.resident,
                           order.l2_mib};
    const auto tiles = ask(bench, {grid});
    const GateResult bijection = judge_bijection({grid}, tiles);
    gates.push_back(bijection.passed() ? judge_dram(order, grid, tiles[0]) : bijection);
  }
  return gates;
}

}  // namespace tcd::exercises
