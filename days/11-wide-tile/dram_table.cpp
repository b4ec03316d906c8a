// How much of A and B comes from DRAM by the model of Day 06, with the wide tile and with Day 09's.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "day.h"
#include "harness/dram_model.h"

namespace day {

namespace {

using tcd::harness::Session;

struct Tile {
  const char* name;
  int m, n, k, ctas_per_sm;
};
constexpr Tile kWide = {"128×256×32", 128, 256, 32, 1};
constexpr Tile kSquare = {"128×128×32", 128, 128, 32, 2};  // Day 09's

uint64_t read_bytes(const Session& session, const Tile& tile, int size, int group) {
  const auto& device = session.device().properties;
  tcd::harness::DramModelInput in;
  in.rows = size / tile.m;
  in.columns = size / tile.n;
  in.k_slices = size / tile.k;
  in.a_slice_bytes = tile.m * tile.k * 2;
  in.b_slice_bytes = tile.n * tile.k * 2;
  in.resident = device.multiProcessorCount * tile.ctas_per_sm;
  in.l2_bytes = device.l2CacheSize;
  in.order = [&](uint64_t i) { return tcd::harness::grouped_tile(i, in.rows, in.columns, group); };
  return tcd::harness::model_dram_traffic(in).read_bytes;
}

int64_t megabytes(uint64_t bytes) { return static_cast<int64_t>((bytes + 500'000) / 1'000'000); }

}  // namespace

void show_dram_model(Session& session) {
  session.section("DRAM read by the model, this device, in MB");
  session.say("                4096³: 128×128   128×256   8192³: 128×128   128×256");
  for (const int group : {1, 2, 4, 8, 16}) {
    nlohmann::json row;
    std::string line = "groups of " + std::to_string(group);
    line.resize(16, ' ');
    for (const int size : {4096, 8192}) {
      for (const Tile& tile : {kSquare, kWide}) {
        const int64_t read = megabytes(read_bytes(session, tile, size, group));
        char cell[24];
        std::snprintf(cell, sizeof cell, "%*s", tile.n == 128 ? 14 : 10,
                      tcd::with_separators(read).c_str());
        line += cell;
        row[std::to_string(size) + "³_" + (tile.n == 128 ? "128×128" : "128×256")] = read;
      }
      if (size == 4096) line += "   ";
    }
    session.say(line);
    char name[32];
    std::snprintf(name, sizeof name, "MB read, groups of %2d", group);
    if (session.emulated()) session.derive(name, row);
  }
}

// One wide CTA covers what two square ones do, so a wave of them wants the same rows and columns.
void judge_dram_model(Session& session) {
  const uint64_t square = read_bytes(session, kSquare, 8192, 8);
  const uint64_t wide = read_bytes(session, kWide, 8192, 8);
  char text[160];
  std::snprintf(text, sizeof text,
                "from DRAM, by the model, it reads what Day 09 reads, within 5 %% at 8192³, G = 8 "
                "(%+.1f %%)",
                100 * (static_cast<double>(wide) / static_cast<double>(square) - 1));
  session.predict(7, text, wide * 100 < square * 105 && wide * 100 > square * 95);
}

}  // namespace day
