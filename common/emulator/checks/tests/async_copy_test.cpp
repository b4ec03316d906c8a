// cp.async: its destination before the wait, before the barrier, and under a copy in flight.
#include "checks/tests/check_bench.h"

using namespace tcd::emu;

namespace {

// %r1: where the thread's 16 bytes go, %x1: where they come from, %r2: the next warp's place.
const std::string kPlaces =
    "mad.lo.u32 %r1, %t, 16, %base; mul.wide.u32 %x1, %t, 16; add.u64 %x1, %x1, %g;"
    "add.u32 %r2, %t, 32; and.b32 %r2, %r2, 63; mad.lo.u32 %r2, %r2, 16, %base;";
const std::string kCopy = "cp.async.cg.shared.global [%r1], [%x1], 16;";
const std::string kCommit = "cp.async.commit_group;";
const std::string kReadOwn = "ld.shared.v4.u32 {%r4,%r5,%r6,%r7}, [%r1];";
const std::string kReadOther = "ld.shared.v4.u32 {%r4,%r5,%r6,%r7}, [%r2];";
const char* const kTooEarly = "asynchronous copy read too early";
const char* const kOverwritten = "asynchronous copy overwritten";

}  // namespace

TEST_CASE("A copy is read after its wait by its thread, after a barrier by all") {
  expect_silence({kPlaces, kCopy, kCommit, "cp.async.wait_group 0;", kReadOwn, "bar.sync 0;",
                  kReadOther, "bar.sync 0;", "st.shared.u32 [%s], %t;"});
  expect_silence({kPlaces, kCopy, "cp.async.wait_all;", "bar.sync 0;", kReadOther});
  expect_found({kPlaces, kCopy, kCommit, kReadOwn}, 4, kTooEarly);                   // no wait
  expect_found({kPlaces, kCopy, kCommit, "bar.sync 0;", kReadOther}, 5, kTooEarly);  // no wait
  expect_found({kPlaces, kCopy, kCommit, "cp.async.wait_group 0;", kReadOther}, 5, kTooEarly);
  expect_found({kPlaces, kCopy, kCommit, "bar.sync 0;", "cp.async.wait_group 0;", kReadOther}, 6,
               kTooEarly);  // barrier before the wait
  // Another lane of the same warp needs __syncwarp() at least.
  const std::string neighbour = "xor.b32 %r3, %r1, 16; ld.shared.u32 %r4, [%r3];";
  expect_found({kPlaces, kCopy, "cp.async.wait_all;", neighbour}, 4, kTooEarly);
  expect_silence({kPlaces, kCopy, "cp.async.wait_all;", "bar.warp.sync 0xffffffff;", neighbour});
}

TEST_CASE("The wait's count must cover the group that is read") {
  // Two groups in flight; the first one is read.
  const Lines right = {kPlaces,
                       kCopy,
                       kCommit,
                       "cp.async.ca.shared.global [%r1+4096], [%x1], 16;",
                       kCommit,
                       "cp.async.wait_group 1;",
                       "bar.sync 0;",
                       kReadOther,
                       "cp.async.wait_group 0;"};
  expect_silence(right);
  Lines off_by_one = right;
  off_by_one[5] = "cp.async.wait_group 2;";
  expect_found(off_by_one, 8, kTooEarly);
  const std::string text = run_checked(off_by_one).all();
  INFO(text);
  CHECK(text.find("committed 1 group after this copy's: only cp.async.wait_group 1") !=
        std::string::npos);
  CHECK(text.find("copies: warp 0, lane 0, thread (0,0,0) at kernel.cu:2") != std::string::npos);
  Lines uncommitted = right;
  uncommitted[2] = uncommitted[4] = "";
  uncommitted[5] = "cp.async.wait_group 0;";
  expect_found(uncommitted, 8, kTooEarly);
  CHECK(run_checked(uncommitted).all().find("never committed") != std::string::npos);
}

TEST_CASE("Nothing is written where a copy may still land") {
  expect_found({kPlaces, kCopy, kCommit, "st.shared.u32 [%r1], %t;", "cp.async.wait_all;"}, 4,
               kOverwritten);
  expect_found({kPlaces, kCopy, kCommit, kCopy, "cp.async.wait_all;"}, 4, kOverwritten);
  expect_silence({kPlaces, kCopy, kCommit, "cp.async.wait_all;", "st.shared.u32 [%r1], %t;"});
  expect_silence({kPlaces, kCopy, kCommit, "cp.async.wait_all;", kCopy, "cp.async.wait_all;"});
}

TEST_CASE("A copy into a place others still read is a race") {
  const Lines right = {kPlaces,       kCopy, "cp.async.wait_all;", "bar.sync 0;", kReadOther,
                       "bar.sync 0;", kCopy, "cp.async.wait_all;"};
  expect_silence(right);
  Lines no_barrier = right;
  no_barrier[5] = "";
  expect_found(no_barrier, 7, "race in shared memory: a cp.async into");
}

TEST_CASE("A pipeline of three stages, and its stage index wrong") {
  // Tile i goes to stage i % 3; two are in flight while one is read.
  const auto pipeline = [](int stages_ahead, int wait, bool barrier) {
    return Lines{kPlaces,
                 "mov.u32 %r10, 0;",  // tile
                 "mov.u32 %r11, 0;",  // tile to fetch
                 "FIRST: rem.u32 %r12, %r11, 3; mad.lo.u32 %r12, %r12, 2048, %r1;",
                 "cp.async.cg.shared.global [%r12], [%x1], 16;",
                 "cp.async.commit_group; add.u32 %r11, %r11, 1;",
                 "setp.lt.u32 %p0, %r11, 2; @%p0 bra FIRST;",
                 "NEXT: cp.async.wait_group " + std::to_string(wait) + ";",
                 barrier ? "bar.sync 0;" : "",
                 "add.u32 %r12, %r10, " + std::to_string(stages_ahead) +
                     "; rem.u32 %r12, %r12, 3; mad.lo.u32 %r12, %r12, 2048, %r1;",
                 "cp.async.cg.shared.global [%r12], [%x1], 16;",
                 "cp.async.commit_group;",
                 "rem.u32 %r13, %r10, 3; mad.lo.u32 %r13, %r13, 2048, %r2;",
                 "ld.shared.v4.u32 {%r4,%r5,%r6,%r7}, [%r13];",
                 "add.u32 %r10, %r10, 1;",
                 "setp.lt.u32 %p0, %r10, 9; @%p0 bra NEXT;",
                 "cp.async.wait_all;"};
  };
  expect_silence(pipeline(2, 1, true));
  expect_found(pipeline(2, 2, true), 14, kTooEarly);     // wait count off by one
  expect_found(pipeline(2, 1, false), 14, kTooEarly);    // barrier removed
  expect_found(pipeline(4, 1, true), 11, kOverwritten);  // a stage in flight
  expect_found(pipeline(3, 1, true), 14, kTooEarly);     // the stage that is read
}
