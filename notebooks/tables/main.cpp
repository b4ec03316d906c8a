// The course's tables as JSON, for the notebooks and the interactive pages: which lane holds which
// element, what a pass through shared memory is, in which order CTAs walk, how much that costs.
// Everything is asked of the headers that the kernels and the gates use, so a page cannot disagree
// with them.
//
//   book_tables                                     the tables
//   book_tables dram SIZE RESIDENT L2_MIB,… G,…     DRAM reads of a SIZE³ GEMM by the model
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "counters/async_copy.h"
#include "counters/shared_wavefronts.h"
#include "harness/dram_model.h"
#include "profiles/profile.h"
#include "ptx/fragment_ldmatrix.h"
#include "ptx/fragment_owners.h"

namespace {

using nlohmann::json;
namespace fragment = tcd::fragment;

constexpr int kLanes = fragment::kWarpLanes;
constexpr int kTile = 128, kTileK = 32;  // the CTA tile of Days 03 to 09
constexpr uint64_t kMiB = 1 << 20;

template <class Map>
json lanes(int elements, const Map& coordinate) {
  json all = json::array();
  for (int lane = 0; lane < kLanes; ++lane) {
    json one = json::array();
    for (int i = 0; i < elements; ++i) {
      const fragment::Coord at = coordinate(lane, i);
      one.push_back({at.row, at.col});
    }
    all.push_back(one);
  }
  return all;
}

template <class Owner>
json owners(int rows, int columns, const Owner& owner) {
  json all = json::array();
  for (int row = 0; row < rows; ++row) {
    json line = json::array();
    for (int column = 0; column < columns; ++column) {
      const fragment::Owner who = owner(row, column);
      line.push_back({who.lane, who.element, who.reg, who.half});
    }
    all.push_back(line);
  }
  return all;
}

json operand(const char* name, const char* type, int rows, int columns, json held, json holders) {
  return {{"name", name},
          {"type", type},
          {"rows", rows},
          {"columns", columns},
          {"lanes", std::move(held)},
          {"owners", std::move(holders)}};
}

json shape(int k) {
  const auto a = [k](int lane, int i) { return fragment::a_coord(k, lane, i); };
  const auto b = [k](int lane, int i) { return fragment::b_coord(k, lane, i); };
  const auto owner_a = [k](int row, int column) { return fragment::owner_of_a(k, row, column); };
  const auto owner_b = [k](int row, int column) { return fragment::owner_of_b(k, row, column); };
  constexpr int kM = fragment::kTileM, kN = fragment::kTileN;
  const json c = lanes(fragment::kAccumulators, fragment::c_m16n8);
  return {{"name", "m16n8k" + std::to_string(k)},
          {"operands",
           {operand("A", "f16", kM, k, lanes(fragment::a_elements(k), a), owners(kM, k, owner_a)),
            operand("B", "f16", k, kN, lanes(fragment::b_elements(k), b), owners(k, kN, owner_b)),
            operand("C and D", "f32", kM, kN, c, owners(kM, kN, fragment::owner_of_c_m16n8)),
            operand("C and D", "f16", kM, kN, c, owners(kM, kN, fragment::owner_of_c_m16n8_f16))}}};
}

json ldmatrix() {
  json all;
  for (const bool trans : {false, true}) {
    const auto element = [trans](int lane, int i) {
      return fragment::ldmatrix_element(lane, i, trans);
    };
    all[trans ? "trans" : "plain"] = lanes(2, element);
  }
  for (const int num : {1, 2, 4}) {
    json rows = json::array();
    for (int lane = 0; lane < kLanes; ++lane) {
      const fragment::LdmatrixRow at = fragment::ldmatrix_row(num, lane);
      rows.push_back({at.matrix, at.row});
    }
    all["x" + std::to_string(num)] = rows;
  }
  return all;
}

// Addresses and what the emulated device counts for them. The pages' own JavaScript must count the
// same: a test compares. Some are regular, as tiles are, and some are not.
json bank_vectors() {
  std::mt19937 random(5);
  json reads = json::array(), writes = json::array();
  for (int i = 0; i < 64; ++i) {
    const uint32_t pitch = 16 * (1 + random() % 12), mask = random() % 8, shift = random() % 3;
    std::vector<uint32_t> rows(kLanes), shared(kLanes);
    std::vector<uint64_t> global(kLanes);
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      const uint32_t row = lane / 4, chunk = (lane % 4) ^ (row >> shift & mask & 3);
      rows[lane] = i % 2 ? random() % 512 * 16 : lane * pitch + ((lane >> shift & mask) * 16);
      shared[lane] = i % 2 ? (lane * 16 ^ (random() % 4 * 16)) : row * pitch + chunk * 16;
      global[lane] = uint64_t{row} * 8192 + lane % 4 * 16 + random() % 2 * (i % 4 == 3 ? 64 : 0);
    }
    const auto read = tcd::emu::matrix_wavefronts(rows.data(), 4);
    const auto write = tcd::emu::bypass_copy_wavefronts(~0u, shared.data(), global.data());
    reads.push_back({{"rows", rows}, {"passes", read.needed}});
    writes.push_back({{"shared", shared}, {"global", global}, {"passes", write.needed}});
  }
  return {{"reads", reads}, {"writes", writes}};
}

json tile_orders() {
  json all = json::array();
  for (const auto& [rows, columns, group] : std::vector<std::array<uint32_t, 3>>{
           {4, 6, 1}, {4, 6, 2}, {5, 7, 3}, {8, 8, 8}, {7, 3, 4}}) {
    json order = json::array();
    for (uint32_t i = 0; i < rows * columns; ++i) {
      const auto at = tcd::harness::grouped_tile(i, rows, columns, group);
      order.push_back({at.row, at.column});
    }
    all.push_back({{"rows", rows}, {"columns", columns}, {"group", group}, {"order", order}});
  }
  return all;
}

uint64_t read_bytes(uint32_t size, uint32_t resident, uint64_t l2_bytes, uint32_t group) {
  const uint32_t side = size / kTile;
  tcd::harness::DramModelInput input;
  input.rows = input.columns = side;
  input.k_slices = size / kTileK;
  input.resident = resident;
  input.l2_bytes = l2_bytes;
  input.order = [=](uint64_t i) { return tcd::harness::grouped_tile(i, side, side, group); };
  return tcd::harness::model_dram_traffic(input).read_bytes;
}

constexpr int kCtasPerSm = 2;  // what the course's tiles leave room for

json profiles() {
  json all = json::array();
  for (const auto& profile : tcd::emu::all_profiles()) {
    json reads;
    for (const uint32_t size : {2048u, 4096u, 8192u}) {
      for (const uint32_t group : {1u, 2u, 4u, 8u, 16u, 32u}) {
        reads[std::to_string(size)][std::to_string(group)] =
            read_bytes(size, static_cast<uint32_t>(profile.sm_count) * kCtasPerSm,
                       tcd::emu::effective_l2_bytes(profile), group);
      }
    }
    all.push_back({{"name", profile.name},
                   {"device", profile.device_name},
                   {"compute", profile.compute()},
                   {"sms", profile.sm_count},
                   {"clock_mhz", profile.clock_khz / 1000},
                   {"memory_clock_mhz", profile.memory_clock_khz / 1000},
                   {"memory_bus_bits", profile.memory_bus_bits},
                   {"l2_bytes", profile.l2_bytes},
                   {"effective_l2_bytes", tcd::emu::effective_l2_bytes(profile)},
                   {"shared_per_sm", profile.shared_per_sm},
                   {"shared_per_block", profile.shared_per_block_optin},
                   {"shared_reserved", profile.shared_reserved_per_block},
                   {"registers_per_sm", profile.registers_per_sm},
                   {"threads_per_sm", profile.threads_per_sm},
                   {"ctas_per_sm", kCtasPerSm},
                   {"dram_read_bytes", reads}});
  }
  return all;
}

std::vector<uint32_t> numbers(const char* text) {
  std::vector<uint32_t> all;
  std::istringstream list(text);
  for (std::string part; std::getline(list, part, ',');) {
    all.push_back(static_cast<uint32_t>(std::strtoul(part.c_str(), nullptr, 10)));
  }
  return all;
}

json dram(char** argv) {
  const uint32_t size = numbers(argv[2]).at(0), resident = numbers(argv[3]).at(0);
  json rows = json::array();
  for (const uint32_t l2 : numbers(argv[4])) {
    for (const uint32_t group : numbers(argv[5])) {
      rows.push_back({{"l2_mib", l2},
                      {"group", group},
                      {"read_bytes", read_bytes(size, resident, l2 * kMiB, group)}});
    }
  }
  return rows;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc == 1) {
      const json tables = {{"shapes", {shape(8), shape(16)}},
                           {"ldmatrix", ldmatrix()},
                           {"banks", bank_vectors()},
                           {"orders", tile_orders()},
                           {"profiles", profiles()}};
      std::printf("%s\n", tables.dump().c_str());
      return 0;
    }
    if (argc == 6 && std::string(argv[1]) == "dram") {
      std::printf("%s\n", dram(argv).dump().c_str());
      return 0;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "book_tables: %s\n", error.what());
    return 2;
  }
  std::fprintf(
      stderr,
      "usage: book_tables [dram SIZE RESIDENT L2_MIB,... G,...]; e.g. book_tables dram 4096 "
      "48 32,64 1,8\n");
  return 2;
}
