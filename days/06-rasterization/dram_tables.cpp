// How much A and B cost in DRAM reads, by the model: over G, over the size of L2, over cards. And
// the model beside the only counters it can be held against here, the Ada account's.
#include <array>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

#include "day.h"
#include "harness/dram_model.h"

namespace day {

namespace {

using tcd::harness::Session;

constexpr int kTile = 128, kTileK = 32;
constexpr uint64_t kSliceBytes = kTile * kTileK * 2;
constexpr uint64_t kMiB = 1 << 20;

// The Ada account's card: 24 SMs of 2 CTAs, 32 MiB.
constexpr int kAdaResident = 48;
constexpr uint64_t kAdaL2 = 32 * kMiB;

uint64_t cube(int n, int group, int resident, uint64_t l2_bytes) {
  return model_read_bytes(n, n, n, group, resident, l2_bytes);
}

uint64_t compulsory_bytes(int n) { return uint64_t{2} * n * n * 2; }

// If nothing outlived its wave: each wave reads its own rows of A and columns of B, once.
uint64_t without_survivors(int n, int group, int resident) {
  const auto side = static_cast<uint32_t>(n / kTile);
  const int ctas = static_cast<int>(side * side);
  uint64_t strips = 0;
  for (int first = 0; first < ctas; first += resident) {
    std::set<uint32_t> rows, columns;
    for (int i = first; i < std::min(ctas, first + resident); ++i) {
      const auto tile = tcd::harness::grouped_tile(i, side, side, group);
      rows.insert(tile.row);
      columns.insert(tile.column);
    }
    strips += rows.size() + columns.size();
  }
  return strips * (n / kTileK) * kSliceBytes;
}

uint64_t whole_megabytes(uint64_t bytes) { return (bytes + 500'000) / 1'000'000; }
std::string megabytes(uint64_t bytes) {
  return tcd::with_separators(static_cast<int64_t>(whole_megabytes(bytes)));
}

std::string order_name(int group) {
  return group == 1 ? "row-major" : "G = " + std::to_string(group);
}

// Lines for people everywhere; figures for the page from the emulated device alone, so that a
// card's file holds only what was measured on it.
void derive(Session& session, const std::string& name, const nlohmann::json& value) {
  if (session.emulated()) session.derive(name, value);
}

void show_groups(Session& session, int ctas_per_sm) {
  const auto& device = session.device().properties;
  const int resident = device.multiProcessorCount * ctas_per_sm;
  const auto l2 = static_cast<uint64_t>(device.l2CacheSize);
  session.section("DRAM read by the model, this device: " + std::to_string(resident) +
                  " CTAs at once, " + std::to_string(l2 / kMiB) + " MiB of L2");
  session.say("             MB at 4096³   × A and B once   MB at 8192³   × A and B once");
  for (int group : {1, 2, 3, 4, 8, 12, 16, 32, 64}) {
    const uint64_t small = cube(4096, group, resident, l2), large = cube(8192, group, resident, l2);
    char line[128];
    std::snprintf(line, sizeof line, "%-10s %13s %16.1f %13s %16.1f", order_name(group).c_str(),
                  megabytes(small).c_str(),
                  static_cast<double>(small) / static_cast<double>(compulsory_bytes(4096)),
                  megabytes(large).c_str(),
                  static_cast<double>(large) / static_cast<double>(compulsory_bytes(8192)));
    session.say(line);
    // Padded, so that a table sorted by name is sorted by G.
    std::snprintf(line, sizeof line, "in groups of %2d%s", group, group == 1 ? ", row-major" : "");
    derive(
        session, line,
        {{"4096³_MB", whole_megabytes(small)},
         {"4096³_if_nothing_survives", whole_megabytes(without_survivors(4096, group, resident))},
         {"8192³_MB", whole_megabytes(large)},
         {"8192³_if_nothing_survives", whole_megabytes(without_survivors(8192, group, resident))},
         {"4096³_bytes", small},
         {"8192³_bytes", large}});
  }
}

void show_l2_sizes(Session& session) {
  session.section("The accidental optimum: 48 CTAs at once, 4096³, and an L2 of another size");
  session.say("L2, MiB   MB row-major   MB G = 2   MB G = 8");
  for (int mib : {16, 24, 28, 31, 32, 33, 34, 36, 40, 48}) {
    std::array<uint64_t, 3> bytes{};
    const std::array<int, 3> groups = {1, 2, 8};
    for (size_t i = 0; i < groups.size(); ++i) {
      bytes[i] = cube(4096, groups[i], kAdaResident, mib * kMiB);
    }
    char line[96];
    std::snprintf(line, sizeof line, "%7d %14s %10s %10s", mib, megabytes(bytes[0]).c_str(),
                  megabytes(bytes[1]).c_str(), megabytes(bytes[2]).c_str());
    session.say(line);
    derive(session, std::to_string(mib) + " MiB of L2, 48 CTAs, 4096³",
           {{"row_major_MB", whole_megabytes(bytes[0])},
            {"G2_MB", whole_megabytes(bytes[1])},
            {"G8_MB", whole_megabytes(bytes[2])}});
  }
}

struct Card {
  const char* name;
  int sms;
  uint64_t l2_mib;
};
// As the emulated profiles have them; gate_card() compares.
constexpr Card kCards[] = {{"a100", 108, 40}, {"rtx4060-laptop", 24, 32}, {"rtx4090", 128, 72},
                           {"l4", 58, 48},    {"h100", 132, 50},          {"h200", 132, 60}};

// The table's figures for the device that is emulated right now.
void gate_card(Session& session) {
  for (const Card& card : kCards) {
    if (session.device().profile != card.name) continue;
    const auto& device = session.device().properties;
    const auto l2 = static_cast<uint64_t>(device.l2CacheSize);
    const std::string name = std::string("table of cards, row ") + card.name;
    const std::string has = std::to_string(device.multiProcessorCount) + " SMs, " +
                            std::to_string(l2 / kMiB) + " MiB of L2";
    if (device.multiProcessorCount == card.sms && l2 == card.l2_mib * kMiB) {
      session.gate(tcd::GateResult::pass(name, 2, "passed: the profile has " + has));
    } else {
      session.gate(tcd::GateResult::fail(name, 2, {"the profile has " + has}));
    }
  }
}

void show_cards(Session& session) {
  session.section("DRAM read by the model at 8192³, 2 CTAs an SM, by card, in MB");
  session.say("card                SMs   L2, MiB   row-major    G = 2    G = 8   G = 16");
  for (const Card& card : kCards) {
    const auto read = [&](int group) {
      return cube(8192, group, 2 * card.sms, card.l2_mib * kMiB);
    };
    const std::array<uint64_t, 4> bytes = {read(1), read(2), read(8), read(16)};
    char line[128];
    std::snprintf(line, sizeof line, "%-18s %4d %9d %11s %8s %8s %8s", card.name, card.sms,
                  static_cast<int>(card.l2_mib), megabytes(bytes[0]).c_str(),
                  megabytes(bytes[1]).c_str(), megabytes(bytes[2]).c_str(),
                  megabytes(bytes[3]).c_str());
    session.say(line);
    derive(session, std::string(card.name) + " at 8192³",
           {{"SMs", card.sms},
            {"L2_MiB", card.l2_mib},
            {"row-major", whole_megabytes(bytes[0])},
            {"G=2", whole_megabytes(bytes[1])},
            {"G=8", whole_megabytes(bytes[2])},
            {"G=16", whole_megabytes(bytes[3])}});
  }
}

// What the account's profiler counted on its card. G is not stated beside its third figure.
struct Quoted {
  const char* what;
  int n, group;
  double megabytes;
};
constexpr Quoted kQuoted[] = {{"4096³ row-major", 4096, 1, 527},
                              {"8192³ row-major", 8192, 1, 9160},
                              {"8192³ grouped, if G = 2", 8192, 2, 4700}};

void show_account(Session& session) {
  session.section("The model against the Ada account's counter (quoted)");
  for (const Quoted& quoted : kQuoted) {
    const uint64_t model = cube(quoted.n, quoted.group, kAdaResident, kAdaL2);
    const double off = static_cast<double>(model) / 1e6 / quoted.megabytes - 1;
    char line[128];
    std::snprintf(line, sizeof line, "%s: model %s MB, counter %s MB: %+.1f %%", quoted.what,
                  megabytes(model).c_str(),
                  tcd::with_separators(static_cast<int64_t>(quoted.megabytes)).c_str(), off * 100);
    session.say(line);
    derive(session, quoted.what,
           {{"model_MB", whole_megabytes(model)},
            {"account_MB", static_cast<int>(quoted.megabytes)},
            {"off_percent", std::round(off * 1000) / 10}});
  }
  session.say("Two agree, one does not: on its cliff (above) the model is no guide.");
}

// An H200, whose counter was recorded (notebooks/data/ncu06-h200.json): with the L2 it reports and
// with half of it, as if each of its two partitions kept what its own SMs read.
void show_h200(Session& session) {
  constexpr int kResident = 2 * 132;
  session.section("The model for an H200, with all of its L2 and with half, in MB");
  session.say("                         60 MiB     30 MiB");
  for (int n : {4096, 8192}) {
    for (int group : {1, 2, 8, 16}) {
      const uint64_t all = cube(n, group, kResident, 60 * kMiB);
      const uint64_t half = cube(n, group, kResident, 30 * kMiB);
      const std::string name = order_name(group) + " at " + std::to_string(n) + "³";
      char line[96];
      std::snprintf(line, sizeof line, "%-20s %11s %10s", name.c_str(), megabytes(all).c_str(),
                    megabytes(half).c_str());
      session.say(line);
      derive(session, name + " on an H200",
             {{"model_MB", whole_megabytes(all)}, {"model_half_L2_MB", whole_megabytes(half)}});
    }
  }
}

}  // namespace

uint64_t model_read_bytes(int m, int n, int k, int group, int resident, uint64_t l2_bytes) {
  tcd::harness::DramModelInput in;
  in.rows = m / kTile;
  in.columns = n / kTile;
  in.k_slices = k / kTileK;
  in.resident = resident;
  in.l2_bytes = l2_bytes;
  in.order = [&](uint64_t i) { return tcd::harness::grouped_tile(i, in.rows, in.columns, group); };
  return tcd::harness::model_dram_traffic(in).read_bytes;
}

void show_dram_model(Session& session, int ctas_per_sm) {
  show_groups(session, ctas_per_sm);
  show_l2_sizes(session);
  show_cards(session);
  gate_card(session);
  show_account(session);
  show_h200(session);
}

void judge_dram_model(Session& session) {
  const uint64_t once = compulsory_bytes(8192);
  const uint64_t row_major = cube(8192, 1, kAdaResident, kAdaL2);
  const uint64_t pairs = cube(8192, 2, kAdaResident, kAdaL2);
  session.predict(4,
                  "8192³ on the account's card, by the model: row-major reads A and B over 30 "
                  "times, G = 2 little more than half as often",
                  row_major > 30 * once && pairs * 100 < row_major * 55 && pairs * 2 > row_major);
  const uint64_t below = cube(4096, 1, kAdaResident, kAdaL2);
  const uint64_t above = cube(4096, 1, kAdaResident, kAdaL2 + 2 * kMiB);
  session.predict(5,
                  "4096³ in row-major order, by the model: 32 MiB of L2 read A and B over 11 "
                  "times, 34 MiB read them once",
                  below > 11 * compulsory_bytes(4096) && above == compulsory_bytes(4096));
}

}  // namespace day
