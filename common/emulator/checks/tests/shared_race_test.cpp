// Races in shared memory: each mistake is found at its line, and its correction is silent.
#include "checks/tests/check_bench.h"

using namespace tcd::emu;

TEST_CASE("Read after another warp's write needs a barrier") {
  expect_found({"st.shared.u32 [%s], %t;",  //
                "ld.shared.u32 %r1, [%o];"},
               2, "race in shared memory: read");
  expect_silence({"st.shared.u32 [%s], %t;", "bar.sync 0;", "ld.shared.u32 %r1, [%o];"});
  // Vectors, and 16-byte units that were refined to words in between.
  expect_found({"mad.lo.u32 %r2, %t, 16, %base;", "st.shared.v4.u32 [%r2], {%t, %t, %t, %t};",
                "ld.shared.u32 %r1, [%s];"},
               3, "race in shared memory: read");
  expect_silence({"mad.lo.u32 %r2, %t, 16, %base;", "st.shared.v4.u32 [%r2], {%t, %t, %t, %t};",
                  "bar.sync 0;", "ld.shared.u32 %r1, [%s];", "bar.sync 0;",
                  "st.shared.u32 [%s], %t;"});
}

TEST_CASE("Write after another warp's read needs a barrier") {
  expect_found({"st.shared.u32 [%s], %t;", "bar.sync 0;", "ld.shared.u32 %r1, [%o];",
                "st.shared.u32 [%s], %r0;"},
               4, "race in shared memory: write");
  expect_silence({"st.shared.u32 [%s], %t;", "bar.sync 0;", "ld.shared.u32 %r1, [%o];",
                  "bar.sync 0;", "st.shared.u32 [%s], %r0;"});
}

TEST_CASE("Two warps' writes to one word race unless they write the same") {
  expect_found({"st.shared.u32 [%base], %w;"}, 1, "race in shared memory: write");
  expect_silence({"mov.u32 %r1, 1;", "st.shared.u32 [%base], %r1;", "bar.sync 0;",
                  "ld.shared.u32 %r2, [%base];"});
}

TEST_CASE("Lanes of one store must not disagree about a word") {
  const CheckRun one_warp{.threads = 32};
  expect_found({"st.shared.u32 [%base], %t;"}, 1, "race within one instruction", one_warp);
  expect_silence({"st.shared.u32 [%base], %w;"}, one_warp);
  // Half the lanes.
  expect_found({"setp.lt.u32 %p0, %t, 16;", "and.b32 %r1, %t, 7;", "mad.lo.u32 %r1, %r1, 4, %base;",
                "@%p0 st.shared.u32 [%r1], %t;"},
               4, "race within one instruction", one_warp);
}

TEST_CASE("Bytes and halves of one word belong to whoever writes them") {
  const Lines bytes = {"and.b32 %r1, %t, 31;", "mad.lo.u32 %r1, %r1, 2, %w;",
                       "add.u32 %r1, %r1, %base;", "cvt.u16.u32 %h1, %t;",
                       "st.shared.u8 [%r1], %h1;"};
  expect_silence(bytes);
  Lines read = bytes;
  read.push_back("ld.shared.u8 %h2, [%r1];");  // its own
  expect_silence(read);
  read.back() = "ld.shared.u32 %r3, [%s];";                          // also the other warp's
  expect_found(read, 5, "race in shared memory: write of 1 bytes");  // warp 0 has read it
  Lines halves = bytes;
  halves[1] = "mad.lo.u32 %r1, %r1, 4, %base;";
  halves[2] = "mad.lo.u32 %r1, %w, 2, %r1;";
  halves[4] = "st.shared.u16 [%r1], %h1;";
  expect_silence(halves);
}

TEST_CASE("A report names the line, the CTA, the lane, the address and the other party") {
  const Checked r = run_checked({"st.shared.u32 [%s], %t;", "ld.shared.u32 %r1, [%o];"},
                                {.threads = 64, .ctas = 3});
  const std::string text = r.all();
  INFO(text);
  for (const char* part :
       {"read of 4 bytes at shared address 0x0", "kernel  k", "source  kernel.cu:2",
        "ld.shared.u32 %r1, [%o];", "warp 1, lane 0, thread (32,0,0) of CTA (0,0,0)",
        "other   wrote: warp 0, lane 0, thread (0,0,0) at kernel.cu:1, `st.shared.u32 [%s], %t;`",
        "__syncthreads()", "3 times"}) {
    CHECK_MESSAGE(text.find(part) != std::string::npos, part);
  }
}

TEST_CASE("Barriers of a part of the CTA order just that part") {
  // Warp 0 fills, warp 1 reads: barrier 1 says full, barrier 2 says empty. Two rounds.
  const Lines right = {"setp.eq.u32 %p0, %w, 0;",   // 1
                       "@!%p0 bra READ;",           //
                       "st.shared.u32 [%s], %t;",   // 3
                       "bar.arrive 1, 64;",         //
                       "bar.sync 2, 64;",           // 5
                       "st.shared.u32 [%s], %r0;",  //
                       "bar.arrive 1, 64;",         // 7
                       "bra DONE;",                 //
                       "READ: bar.sync 1, 64;",     // 9
                       "ld.shared.u32 %r1, [%o];",  //
                       "bar.arrive 2, 64;",         // 11
                       "bar.sync 1, 64;",           //
                       "ld.shared.u32 %r2, [%o];",  // 13
                       "DONE: bar.sync 0;"};
  expect_silence(right);
  Lines unread = right;  // warp 1 says "empty" before it has read
  std::swap(unread[9], unread[10]);
  expect_found(unread, 6, "race in shared memory: write");
  Lines early = right;  // warp 0 says "full" before it has written
  std::swap(early[2], early[3]);
  const Checked r = run_checked(early);
  CHECK_MESSAGE(!r.error.reports.empty(), "full before written");
  // A third warp that was not at the barrier is not ordered; at one of its own it is.
  const auto third = [](const std::string& first, const std::string& second) {
    return Lines{"st.shared.u32 [%s], %t;",
                 "setp.eq.u32 %p0, %w, 2;",
                 "@%p0 bra THIRD;",
                 "bar.sync 1, 64;",
                 "setp.eq.u32 %p1, %w, 1;",
                 "@%p1 bar.sync 2, 64;",
                 "ret;",
                 "THIRD: " + first,
                 second};
  };
  const std::string wait = "bar.sync 2, 64;", read = "ld.shared.u32 %r1, [%base];";
  expect_silence(third(wait, read), {.threads = 96});  // warp 0 → 1 → 2
  expect_found(third(read, wait), 8, "race in shared memory: read", {.threads = 96});
}

TEST_CASE("Warps that have ended count at a barrier") {
  expect_silence({"st.shared.u32 [%s], %t;", "setp.eq.u32 %p0, %w, 0;", "@%p0 ret;", "bar.sync 0;",
                  "ld.shared.u32 %r1, [%o];"});
}

TEST_CASE("Atomics order what is around them, not what comes before without a barrier") {
  const Lines right = {"and.b32 %r1, %t, 7;",
                       "mad.lo.u32 %r1, %r1, 4, %base;",
                       "st.shared.u32 [%s], %r0;",
                       "bar.sync 0;",
                       "atom.shared.add.u32 %r2, [%r1], 1;",
                       "bar.sync 0;",
                       "ld.shared.u32 %r3, [%r1];"};
  expect_silence(right);
  Lines no_zeroing_barrier = right;
  no_zeroing_barrier[3] = "";
  expect_found(no_zeroing_barrier, 5, "race in shared memory: write");
  Lines no_reading_barrier = right;
  no_reading_barrier[5] = "";
  expect_found(no_reading_barrier, 5, "race in shared memory: write");  // after warp 0's read
}

TEST_CASE("A lock, a flag and an mbarrier order; leaving the wait out does not") {
  const Lines lock = {"st.shared.u32 [%base], %r0;",
                      "st.shared.u32 [%base+4], %r0;",
                      "bar.sync 0;",
                      "and.b32 %r5, %t, 31;",
                      "setp.ne.u32 %p0, %r5, 0;",
                      "@%p0 bra DONE;",
                      "TAKE: atom.shared.cas.b32 %r1, [%base], 0, 1;",
                      "setp.ne.u32 %p1, %r1, 0;",
                      "@%p1 bra TAKE;",
                      "ld.shared.u32 %r2, [%base+4];",
                      "add.u32 %r2, %r2, 1;",
                      "st.shared.u32 [%base+4], %r2;",
                      "atom.shared.exch.b32 %r3, [%base], 0;",
                      "DONE: bar.sync 0;"};
  expect_silence(lock);
  Lines unlocked = lock;
  unlocked[6] = unlocked[7] = unlocked[8] = unlocked[12] = "";
  expect_found(unlocked, 10, "race in shared memory: read");

  const Lines flag = {"st.shared.u32 [%base], %r0;",
                      "bar.sync 0;",
                      "setp.eq.u32 %p0, %w, 0;",
                      "mov.u32 %r1, 1;",
                      "@%p0 bra WRITE;",
                      "SPIN: ld.volatile.shared.u32 %r2, [%base];",
                      "setp.eq.u32 %p1, %r2, 0;",
                      "@%p1 bra SPIN;",
                      "ld.shared.u32 %r3, [%base+128];",
                      "bra DONE;",
                      "WRITE: st.shared.u32 [%base+128], %r1;",
                      "membar.cta;",
                      "st.volatile.shared.u32 [%base], %r1;",
                      "DONE: bar.sync 0;"};
  expect_silence(flag);
  Lines unspun = flag;
  unspun[5] = unspun[6] = unspun[7] = "";
  unspun[4] = "bar.sync 0; @%p0 bra WRITE;";
  CHECK(!run_checked(unspun).error.reports.empty());

  const Lines mbarrier = {"setp.eq.u32 %p0, %t, 0;",
                          "@%p0 mbarrier.init.shared.b64 [%base], 32;",
                          "bar.sync 0;",
                          "setp.eq.u32 %p1, %w, 0;",
                          "@%p1 bra WRITE;",
                          "SPIN: mbarrier.test_wait.parity.shared.b64 %p2, [%base], 0;",
                          "@!%p2 bra SPIN;",
                          "ld.shared.u32 %r3, [%o+1024];",
                          "bra DONE;",
                          "WRITE: st.shared.u32 [%s+1024], %t;",
                          "mbarrier.arrive.shared.b64 %x1, [%base];",
                          "DONE: bar.sync 0;"};
  expect_silence(mbarrier);
}

TEST_CASE("Generic addresses of shared memory are the same memory") {
  const std::string address = "cvt.u64.u32 %x1, %s; cvta.shared.u64 %x1, %x1;";
  expect_silence({address, "st.u32 [%x1], %t;", "bar.sync 0;", "ld.shared.u32 %r1, [%o];"});
  expect_found({address, "st.u32 [%x1], %t;", "ld.shared.u32 %r1, [%o];"}, 3,
               "race in shared memory: read");
  expect_found({address, "st.shared.u32 [%s], %t;", "bar.sync 0;", "ld.shared.u32 %r1, [%o];",
                "st.u32 [%x1], %r0;"},
               5, "race in shared memory: write");
}
