// The rules against what an H200 counted (recorded/README.md).
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "counters/async_copy.h"
#include "counters/global_sectors.h"
#include "counters/shared_wavefronts.h"

namespace tcd::emu {
namespace {

struct Recorded {
  std::string name, operation;
  uint32_t mask = 0;
  uint32_t shared[32] = {};
  uint64_t global[32] = {};
  int wavefronts = 0, conflicts = 0, sectors = 0;
};

std::vector<Recorded> read(const char* path) {
  std::ifstream in(path);
  std::vector<Recorded> all;
  Recorded r;
  while (in >> r.name >> r.operation >> std::hex >> r.mask >> std::dec) {
    for (uint32_t& v : r.shared) in >> v;
    for (uint64_t& v : r.global) in >> v;
    in >> r.wavefronts >> r.conflicts >> r.sectors;
    all.push_back(r);
  }
  return all;
}

uint32_t size_of(const std::string& operation) {
  return static_cast<uint32_t>(
      std::atoi(operation.substr(operation.find_first_of("0123456789")).c_str()));
}

bool is(const Recorded& r, const char* prefix) { return r.operation.rfind(prefix, 0) == 0; }

Wavefronts by_rule(const Recorded& r) {
  const uint32_t size = size_of(r.operation);
  if (is(r, "ldmatrix")) return matrix_wavefronts(r.shared, size);
  if (is(r, "ld")) return shared_load_wavefronts(r.mask, r.shared, size);
  if (is(r, "st")) return shared_store_wavefronts(r.mask, r.shared, size);
  if (is(r, "cpcg")) return bypass_copy_wavefronts(r.mask, r.shared, r.global);
  return cached_copy_wavefronts(r.mask, r.shared, r.global, size);
}

const std::vector<Recorded>& recorded() {
  static const std::vector<Recorded> all =
      read("common/emulator/counters/tests/recorded/wavefronts.txt");
  return all;
}

TEST_CASE("The recording is whole") {
  std::map<std::string, int> count;
  for (const Recorded& r : recorded()) ++count[r.operation];
  CHECK(recorded().size() == 510);
  CHECK(count["cpcg16"] == 141);
  CHECK(count["st16"] == 28);
}

TEST_CASE("Shared loads, stores, ldmatrix and cp.async.cg: every recorded wavefront") {
  int compared = 0;
  for (const Recorded& r : recorded()) {
    if (r.wavefronts < 0 || (is(r, "cp") && !is(r, "cpcg"))) continue;
    const Wavefronts w = by_rule(r);
    CAPTURE(r.name);
    CAPTURE(r.operation);
    CHECK(w.needed == static_cast<uint32_t>(r.wavefronts));
    CHECK(w.needed >= w.ideal);
    if (r.conflicts >= 0) CHECK(w.conflicts() == static_cast<uint32_t>(r.conflicts));
    ++compared;
  }
  CHECK(compared == 141 + 44 + 4 * 28 + 5 * 28);
}

TEST_CASE("cp.async.ca: an approximation, within 2 and never too low") {
  int equal = 0, compared = 0;
  for (const Recorded& r : recorded()) {
    if (!is(r, "cp") || is(r, "cpcg")) continue;
    const int off = static_cast<int>(by_rule(r).needed) - r.wavefronts;
    CAPTURE(r.name);
    CHECK(off >= 0);
    CHECK(off <= 2);
    equal += off == 0;
    ++compared;
  }
  CHECK(compared == 33);
  CHECK(equal == 26);
}

TEST_CASE("Sectors of global accesses") {
  int compared = 0;
  for (const Recorded& r : recorded()) {
    if (r.sectors < 0) continue;
    CAPTURE(r.name);
    CHECK(global_sectors(r.mask, r.global, size_of(r.operation)) ==
          static_cast<uint32_t>(r.sectors));
    ++compared;
  }
  CHECK(compared == 40);
}

// Controls: the rules one would write first fail on this recording, so it can tell them apart.
TEST_CASE("Plain bank counting does not explain cp.async.cg, nor loads without merging") {
  int copies = 0, loads = 0;
  for (const Recorded& r : recorded()) {
    const auto counted = static_cast<uint32_t>(r.wavefronts);
    if (is(r, "cpcg")) copies += shared_store_wavefronts(r.mask, r.shared, 16).needed != counted;
    if (r.operation == "ld8" || r.operation == "ld16") {
      loads += shared_store_wavefronts(r.mask, r.shared, size_of(r.operation)).needed != counted;
    }
  }
  CHECK(copies > 100);
  CHECK(loads == 8);
}

}  // namespace
}  // namespace tcd::emu
