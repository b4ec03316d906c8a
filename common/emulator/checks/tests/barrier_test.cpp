// Barriers that not all threads of a warp come to in the same way, and those nobody leaves.
#include "checks/tests/check_bench.h"

using namespace tcd::emu;

namespace {

const char* const kFinding = "barrier divergence";

// Lanes below `split` take line 3, the others line 5.
Lines branches(int split, const std::string& first, const std::string& second) {
  return {"and.b32 %r1, %t, 31; setp.lt.u32 %p0, %r1, " + std::to_string(split) + ";",
          "@%p0 bra FIRST;",
          second,
          "bra DONE;",
          "FIRST: " + first,
          "DONE: bar.sync 0;"};
}

bool says(const Checked& run, const std::string& text) {
  return run.error.message.find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("One warp, one barrier, two instructions") {
  expect_found(branches(16, "bar.sync 0;", "bar.sync 0;"), 5, kFinding);
  const std::string text = run_checked(branches(16, "bar.sync 0;", "bar.sync 0;")).all();
  INFO(text);
  CHECK(text.find("barrier 0 through different instructions") != std::string::npos);
  CHECK(text.find("warp 0, lane 0, thread (0,0,0) of CTA (0,0,0)") != std::string::npos);
  CHECK(text.find("other   arrives: warp 0, lane 16, thread (16,0,0) at kernel.cu:3, `bar.sync "
                  "0;`") != std::string::npos);
  CHECK(text.find("next    __syncthreads()") != std::string::npos);
  // Whole warps may take different ways.
  expect_silence(branches(32, "bar.sync 0;", "bar.sync 0;"));
  // barrier.sync without .aligned may be split, with it not.
  expect_silence(branches(16, "barrier.sync 0;", "barrier.sync 0;"));
  expect_found(branches(16, "barrier.sync.aligned 0;", "barrier.sync.aligned 0;"), 5, kFinding);
  // Lanes that have ended are not asked.
  expect_silence(branches(16, "bar.sync 0;", "ret;"));
  CHECK(run_checked(branches(16, "bar.sync 0;", "bar.sync 0;"),
                    {.settings = parse_checks("races,async,uninitialised")})
            .error.reports.empty());
}

TEST_CASE("A barrier in a loop that lanes leave at different times") {
  const auto loop = [](const std::string& trips) {
    return Lines{trips,
                 "LOOP: bar.sync 0;",
                 "sub.u32 %r1, %r1, 1;",
                 "setp.gt.s32 %p0, %r1, 0;",
                 "@%p0 bra LOOP;",
                 "bar.sync 0;"};
  };
  expect_silence(loop("mov.u32 %r1, 3;"));
  const Checked wrong = run_checked(loop("and.b32 %r1, %t, 1; add.u32 %r1, %r1, 1;"));
  INFO(wrong.error.message, wrong.all());
  CHECK(wrong.has(6, kFinding));  // even lanes are there, odd lanes at line 2 again
  CHECK(wrong.all().find("at kernel.cu:2, `bar.sync 0;`") != std::string::npos);
}

TEST_CASE("A deadlock says who waits where, and who does not come") {
  // Lanes 0 to 15 of each warp wait; the others wait for them at another barrier.
  const Checked halves = run_checked(branches(16, "bar.sync 1;", "bar.sync 2;"));
  INFO(halves.error.message);
  CHECK(halves.error.fault == Fault::kDeadlock);
  CHECK(says(halves,
             "warp 0 (lanes 0-15), 1 (lanes 0-15) waits at barrier 1: kernel.cu:5, "
             "`bar.sync 1;`"));
  CHECK(says(halves, "(lanes 16-31) waits at barrier 2: kernel.cu:3, `bar.sync 2;`"));
  CHECK(says(halves, "__syncthreads() inside a condition"));
  // Warp 1 expects 96 threads at a barrier of 64.
  const Checked count =
      run_checked({"setp.eq.u32 %p0, %w, 0;", "@%p0 bra FIRST;", "bar.sync 1, 96;", "bra DONE;",
                   "FIRST: bar.sync 2, 96;", "DONE: ret;"});
  INFO(count.error.message);
  CHECK(count.error.fault == Fault::kDeadlock);
  CHECK(says(count, "warp 1 waits at barrier 1: kernel.cu:3, `bar.sync 1, 96;`"));
  CHECK(says(count, "warp 0 waits at barrier 2: kernel.cu:5"));
  // A member mask that names lanes which went elsewhere.
  const Checked members =
      run_checked(branches(16, "bar.warp.sync 0xffffffff;", "bar.sync 1;"), {.threads = 32});
  INFO(members.error.message);
  CHECK(members.error.fault == Fault::kDeadlock);
  CHECK(says(members, "warp 0 (lanes 0-15) waits for lanes 16-31 at kernel.cu:5"));
  CHECK(says(members, "warp 0 (lanes 16-31) waits at barrier 1: kernel.cu:3"));
}

TEST_CASE("A lane that its own member mask leaves out") {
  const auto eight = [](const std::string& line) {
    return Lines{"and.b32 %r1, %t, 31; setp.ge.u32 %p0, %r1, 8; @%p0 bra END;", line, "END: ret;"};
  };
  const std::string out =
      "wrong member mask: lane 7 runs this instruction, and the mask it gives, ";
  expect_found(eight("shfl.sync.idx.b32 %r2, %r1, 0, 31, 0x7f;"), 2, out + "0x7f");
  expect_found(eight("vote.sync.ballot.b32 %r2, %p0, 0x7f;"), 2, out);
  expect_found(eight("redux.sync.add.s32 %r2, %r1, 0x7f;"), 2, out);
  expect_found(eight("bar.warp.sync 0x7f;"), 2, out);
  expect_silence(eight("shfl.sync.idx.b32 %r2, %r1, 0, 31, 0xff; bar.warp.sync 0xff;"));
  // A mask may name lanes that have ended.
  expect_silence({"and.b32 %r1, %t, 31; setp.ge.u32 %p0, %r1, 8; @%p0 ret;",
                  "shfl.sync.idx.b32 %r2, %r1, 0, 31, -1; bar.warp.sync -1;"});
  CHECK(run_checked(eight("bar.warp.sync 0x7f;"), {.settings = parse_checks("races")})
            .error.reports.empty());
}

TEST_CASE("Tiles of a warp come with masks of their own") {
  // Lanes 0 to 7, 8 to 15 and the rest; the first may name the second too.
  const auto tiles = [](const std::string& first) {
    return Lines{
        "and.b32 %r1, %t, 31; setp.lt.u32 %p0, %r1, 8; setp.lt.u32 %p1, %r1, 16;"
        "selp.b32 %r2, 0xff00, 0xffff0000, %p1; selp.b32 %r2, " +
            first +
            ", %r2, %p0; and.b32 %r3, %r1, 1; setp.eq.u32 %p2, %r3, 1;"
            "mul.wide.u32 %x1, %t, 16; add.u64 %x1, %x1, %g;",
        "vote.sync.ballot.b32 %r4, %p2, %r2;",
        "redux.sync.add.s32 %r5, %r1, %r2;",
        "match.any.sync.b32 %r6, %r3, %r2;",
        "match.all.sync.b32 %r7|%p3, %r2, %r2; bar.warp.sync %r2;",
        "st.global.v4.u32 [%x1], {%r4, %r5, %r6, %r7};"};
  };
  expect_silence(tiles("0xff"));
  const Checked right = run_checked(tiles("0xff"));
  const auto row = [&](int lane) {
    return std::vector<uint32_t>(right.memory.begin() + lane * 4,
                                 right.memory.begin() + lane * 4 + 4);
  };
  CHECK(row(1) == std::vector<uint32_t>{0xaa, 28, 0xaa, 0xff});
  CHECK(row(8) == std::vector<uint32_t>{0xaa00, 92, 0x5500, 0xff00});
  CHECK(row(63) == std::vector<uint32_t>{0xaaaa0000, 376, 0xaaaa0000, 0xffff0000});
  const Checked wrong = run_checked(tiles("0xffff"));
  INFO(wrong.all());
  CHECK(wrong.has(2,
                  "wrong member mask: the mask of lane 0, 0xffff, names a lane that comes with "
                  "another mask"));
  CHECK(wrong.has(5, "wrong member mask"));
  CHECK(wrong.all().find("other   comes with another mask: warp 0, lane 8, thread (8,0,0)") !=
        std::string::npos);
}
