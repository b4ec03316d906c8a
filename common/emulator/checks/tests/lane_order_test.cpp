// Lanes of one warp need not run in step: what one writes, another reads after __syncwarp().
#include "checks/tests/check_bench.h"

using namespace tcd::emu;

namespace {

const CheckRun kOneWarp{.threads = 32};
const char* const kFinding = "race in shared memory between lanes of a warp";
const std::string kStore = "st.shared.u32 [%s], %t;";
const std::string kNeighbour = "xor.b32 %r3, %s, 4; ld.shared.u32 %r4, [%r3];";
const std::string kSync = "bar.warp.sync 0xffffffff;";

}  // namespace

TEST_CASE("A lane reads another lane's word after __syncwarp()") {
  expect_found({kStore, kNeighbour}, 2, kFinding, kOneWarp);
  expect_found({kStore, kNeighbour}, 2, kFinding);  // in each of two warps
  expect_silence({kStore, kSync, kNeighbour}, kOneWarp);
  expect_silence({kStore, "bar.sync 0;", kNeighbour}, kOneWarp);
  expect_silence({kStore, "ld.shared.u32 %r4, [%s];"}, kOneWarp);  // its own
  // The second round lacks its barrier.
  expect_found({kStore, kSync, kNeighbour, kSync, kStore, kNeighbour}, 6, kFinding, kOneWarp);
  const std::string text = run_checked({kStore, kNeighbour}, kOneWarp).all();
  INFO(text);
  CHECK(text.find("other   wrote: warp 0, lane 1, thread (1,0,0) at kernel.cu:1") !=
        std::string::npos);
  CHECK(text.find("__syncwarp()") != std::string::npos);
}

TEST_CASE("A lane reads its own vector, not its neighbour's") {
  const std::string wide =
      "mad.lo.u32 %r2, %t, 16, %base; st.shared.v4.u32 [%r2], {%t, %t, %t, %t};";
  expect_silence({wide, "ld.shared.v4.u32 {%r4,%r5,%r6,%r7}, [%r2];"}, kOneWarp);
  expect_silence({wide, "ld.shared.v2.u32 {%r4,%r5}, [%r2+8];", "ld.shared.u32 %r4, [%r2+12];"},
                 kOneWarp);
  expect_found({wide, "xor.b32 %r3, %r2, 16;", "ld.shared.v4.u32 {%r4,%r5,%r6,%r7}, [%r3];"}, 3,
               kFinding, kOneWarp);
  expect_found({wide, "ld.shared.u32 %r4, [%s];"}, 2, kFinding, kOneWarp);
}

TEST_CASE("A reduction in a warp, halving") {
  const auto reduction = [](const std::string& sync) {
    Lines lines = {kStore, sync};
    for (int step : {16, 8, 4}) {
      lines.push_back("setp.lt.u32 %p0, %t, " + std::to_string(step) + ";");
      lines.push_back("@%p0 ld.shared.u32 %r1, [%s+" + std::to_string(4 * step) + "];");
      lines.push_back("@%p0 ld.shared.u32 %r2, [%s]; add.u32 %r1, %r1, %r2;");
      lines.push_back("@%p0 st.shared.u32 [%s], %r1;");
      lines.push_back(sync);
    }
    return lines;
  };
  expect_silence(reduction(kSync), kOneWarp);
  expect_found(reduction(""), 4, kFinding, kOneWarp);
}

TEST_CASE("What several lanes write together belongs to none of them") {
  expect_silence({"st.shared.u32 [%base], %w;", "ld.shared.u32 %r4, [%base];"}, kOneWarp);
}

TEST_CASE("Volatile accesses, atomics and mbarriers order lanes too") {
  expect_silence({"st.volatile.shared.u32 [%s], %t;",
                  "xor.b32 %r3, %s, 4; ld.volatile.shared.u32 %r4, [%r3];"},
                 kOneWarp);
  expect_silence({kStore, "atom.shared.add.u32 %r5, [%s], 1;", kNeighbour}, kOneWarp);
  expect_silence({"setp.eq.u32 %p0, %t, 0; @%p0 mbarrier.init.shared.b64 [%base+4096], 32;", kSync,
                  kStore, "mbarrier.arrive.shared.b64 %x1, [%base+4096];",
                  "SPIN: mbarrier.test_wait.parity.shared.b64 %p2, [%base+4096], 0;",
                  "@!%p2 bra SPIN;", kNeighbour},
                 kOneWarp);
}

TEST_CASE("ldmatrix reads what the other lanes wrote") {
  const std::string matrix =
      "mad.lo.u32 %r2, %t, 16, %base; ldmatrix.sync.aligned.m8n8.x4.shared.b16 "
      "{%r4,%r5,%r6,%r7}, [%r2];";
  const std::string fill =
      "st.shared.u32 [%s], %t; st.shared.u32 [%s+128], %t;"
      "st.shared.u32 [%s+256], %t; st.shared.u32 [%s+384], %t;";
  expect_found({fill, matrix}, 2, kFinding, kOneWarp);
  expect_silence({fill, kSync, matrix}, kOneWarp);
}

TEST_CASE("Where __syncthreads() is missing, nobody is told of __syncwarp() only") {
  // Each thread reads the next one's word: lane 31 that of another warp, which comes first or last.
  const std::string next =
      "add.u32 %r1, %t, 1; and.b32 %r1, %r1, 63; mad.lo.u32 %r3, %r1, 4, %base;"
      "ld.shared.u32 %r4, [%r3];";
  const Checked both = run_checked({kStore, next});
  INFO(both.all());
  CHECK(both.has(2, "race in shared memory: read"));
  CHECK_FALSE(both.has(2, kFinding));
  CHECK(both.all().find("__syncwarp()") == std::string::npos);
  CHECK(both.all().find("uninitialised shared memory") != std::string::npos);
  CHECK(both.all().find("Another warp writes what is read here, and no barrier") !=
        std::string::npos);
  // Only the warp that comes first reads the other's words.
  const std::string some =
      "setp.lt.u32 %p0, %t, 63; add.u32 %r3, %s, 4;"
      "@%p0 ld.shared.u32 %r4, [%r3];";
  const Checked early = run_checked({kStore, some});
  INFO(early.all());
  CHECK(early.has(2, kFinding));
  CHECK(early.all().find("__syncwarp()") == std::string::npos);
  CHECK(early.all().find("a barrier (__syncthreads()) must come between the write and this read, "
                         "for the warps and for their lanes") != std::string::npos);
  expect_silence({kStore, "bar.sync 0;", some, "bar.sync 0;", next});
}
