#include <doctest/doctest.h>

#include <stdexcept>
#include <vector>

#include "harness/dram_model.h"

using namespace tcd::harness;

namespace {

// Square GEMM of 128×128×32 tiles on 24 SMs with 2 CTAs each: the Ada account's card.
DramModelInput ada(uint32_t n, uint32_t group, uint64_t l2_bytes) {
  DramModelInput in;
  in.rows = in.columns = n / 128;
  in.k_slices = n / 32;
  in.resident = 48;
  in.l2_bytes = l2_bytes;
  in.order = [n, group](uint64_t i) { return grouped_tile(i, n / 128, n / 128, group); };
  return in;
}

uint64_t read_bytes(const DramModelInput& in) { return model_dram_traffic(in).read_bytes; }

constexpr uint64_t kMiB32 = uint64_t{32} << 20;

TEST_CASE("The table of the Ada account's card") {
  CHECK(read_bytes(ada(4096, 1, kMiB32)) == 750'886'912);
  CHECK(read_bytes(ada(8192, 1, kMiB32)) == 8'858'370'048);
  CHECK(read_bytes(ada(8192, 2, kMiB32)) == 4'742'168'576);
  CHECK(read_bytes(ada(8192, 8, kMiB32)) == 1'333'133'312);
  // With 32 MB instead of 32 MiB: the cache's size matters where the data nearly fit.
  CHECK(read_bytes(ada(4096, 1, 32'000'000)) / 1'000'000 == 752);
  CHECK(read_bytes(ada(8192, 8, 32'000'000)) / 1'000'000 == 1'348);
  CHECK(model_dram_traffic(ada(4096, 1, kMiB32)).compulsory_bytes == 2 * 33'554'432);
}

// Against a model written another way: plain search in a vector, newest last.
uint64_t by_searching(const DramModelInput& in) {
  std::vector<std::pair<uint32_t, uint32_t>> cache;  // slice, bytes
  uint64_t read = 0;
  const auto touch = [&](uint32_t slice, uint32_t bytes) {
    for (size_t i = 0; i < cache.size(); ++i) {
      if (cache[i].first != slice) continue;
      cache.erase(cache.begin() + static_cast<std::ptrdiff_t>(i));
      cache.push_back({slice, bytes});
      return;
    }
    read += bytes;
    cache.push_back({slice, bytes});
    const auto used = [&] {
      uint64_t sum = 0;
      for (const auto& c : cache) sum += c.second;
      return sum;
    };
    while (used() > in.l2_bytes && cache.size() > 1) cache.erase(cache.begin());
  };
  const uint64_t ctas = uint64_t{in.rows} * in.columns;
  for (uint64_t start = 0; start < ctas; start += in.resident) {
    for (uint32_t k = 0; k < in.k_slices; ++k) {
      for (uint64_t i = start; i < start + in.resident && i < ctas; ++i) {
        const TilePosition t = in.order(i);
        touch(t.row * in.k_slices + k, in.a_slice_bytes);
        touch((in.rows + t.column) * in.k_slices + k, in.b_slice_bytes);
      }
    }
  }
  return read;
}

TEST_CASE("Odd grids, slices of unequal size, small caches: equal to a plain search") {
  for (uint32_t group : {1u, 2u, 3u, 5u, 100u}) {
    for (uint64_t l2 : {1u, 20'000u, 100'000u, 10'000'000u}) {
      DramModelInput in;
      in.rows = 7;
      in.columns = 5;
      in.k_slices = 9;
      in.b_slice_bytes = 2 * in.a_slice_bytes;
      in.resident = 6;
      in.l2_bytes = l2;
      in.order = [group](uint64_t i) { return grouped_tile(i, 7, 5, group); };
      CAPTURE(group);
      CAPTURE(l2);
      const DramTraffic t = model_dram_traffic(in);
      CHECK(t.read_bytes == by_searching(in));
      CHECK(t.read_bytes >= t.compulsory_bytes);
      if (l2 > t.compulsory_bytes) CHECK(t.read_bytes == t.compulsory_bytes);
      if (l2 == 1) CHECK(t.read_bytes > 3 * t.compulsory_bytes);
    }
  }
}

TEST_CASE("grouped_tile visits every tile once") {
  for (uint32_t rows : {1u, 2u, 7u, 32u}) {
    for (uint32_t columns : {1u, 5u, 16u}) {
      for (uint32_t group : {1u, 2u, 3u, 8u, 64u}) {
        std::vector<int> visits(size_t{rows} * columns);
        for (uint64_t i = 0; i < uint64_t{rows} * columns; ++i) {
          const TilePosition t = grouped_tile(i, rows, columns, group);
          REQUIRE(t.row < rows);
          REQUIRE(t.column < columns);
          ++visits[size_t{t.row} * columns + t.column];
        }
        CHECK(visits == std::vector<int>(size_t{rows} * columns, 1));
      }
    }
  }
  CHECK(grouped_tile(6, 4, 5, 1).row == 1);  // row-major
  CHECK(grouped_tile(6, 4, 5, 1).column == 1);
  CHECK(grouped_tile(6, 4, 5, 2).row == 0);  // two rows at a time, column by column
  CHECK(grouped_tile(6, 4, 5, 2).column == 3);
}

TEST_CASE("Inputs without a meaning are refused by name") {
  DramModelInput in = ada(1024, 1, kMiB32);
  in.resident = 0;
  CHECK_THROWS_WITH_AS(model_dram_traffic(in),
                       "DRAM model: resident is 0, must be positive: CTAs on the device at once",
                       std::invalid_argument);
  in = ada(1024, 1, kMiB32);
  in.order = [](uint64_t) { return TilePosition{8, 0}; };
  CHECK_THROWS_AS(model_dram_traffic(in), std::invalid_argument);
  in.order = nullptr;
  CHECK_THROWS_AS(model_dram_traffic(in), std::invalid_argument);
}

}  // namespace
