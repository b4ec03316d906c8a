// The rules against what an H200 counted (recorded/README.md).
#include <doctest/doctest.h>

#include <map>
#include <string>

#include "counters/async_copy.h"
#include "counters/global_sectors.h"
#include "counters/shared_wavefronts.h"
#include "counters/tests/recording.h"

namespace tcd::emu {
namespace {

Wavefronts by_rule(const Recorded& r) {
  const uint32_t size = r.size();
  if (r.is("ldmatrix")) return matrix_wavefronts(r.shared, size);
  if (r.is("ld")) return shared_load_wavefronts(r.mask, r.shared, size);
  if (r.is("st")) return shared_store_wavefronts(r.mask, r.shared, size);
  if (r.is("cpcg")) return bypass_copy_wavefronts(r.mask, r.shared, r.global);
  return cached_copy_wavefronts(r.mask, r.shared, r.global, size);
}

TEST_CASE("The recording is whole") {
  std::map<std::string, int> count;
  for (const Recorded& r : recording()) ++count[r.operation];
  CHECK(recording().size() == 510);
  CHECK(count["cpcg16"] == 141);
  CHECK(count["st16"] == 28);
}

TEST_CASE("Shared loads, stores, ldmatrix and cp.async.cg: every recorded wavefront") {
  int compared = 0;
  for (const Recorded& r : recording()) {
    if (r.wavefronts < 0 || (r.is("cp") && !r.is("cpcg"))) continue;
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
  for (const Recorded& r : recording()) {
    if (!r.is("cp") || r.is("cpcg")) continue;
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
  for (const Recorded& r : recording()) {
    if (r.sectors < 0) continue;
    CAPTURE(r.name);
    CHECK(global_sectors(r.mask, r.global, r.size()) == static_cast<uint32_t>(r.sectors));
    ++compared;
  }
  CHECK(compared == 40);
}

// Controls: the rules one would write first fail on this recording, so it can tell them apart.
TEST_CASE("Plain bank counting does not explain cp.async.cg, nor loads without merging") {
  int copies = 0, loads = 0;
  for (const Recorded& r : recording()) {
    const auto counted = static_cast<uint32_t>(r.wavefronts);
    if (r.is("cpcg")) copies += shared_store_wavefronts(r.mask, r.shared, 16).needed != counted;
    if (r.operation == "ld8" || r.operation == "ld16") {
      loads += shared_store_wavefronts(r.mask, r.shared, r.size()).needed != counted;
    }
  }
  CHECK(copies > 100);
  CHECK(loads == 8);
}

}  // namespace
}  // namespace tcd::emu
