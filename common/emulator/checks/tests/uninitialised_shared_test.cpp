// Reads of shared memory that nobody has written.
#include "checks/tests/check_bench.h"

using namespace tcd::emu;

namespace {
const char* const kFinding = "uninitialised shared memory";
}

TEST_CASE("Shared memory is read after it was written") {
  expect_found({"ld.shared.u32 %r1, [%s];"}, 1, kFinding);
  expect_found({"atom.shared.add.u32 %r1, [%s], 1;"}, 1, kFinding);
  expect_silence({"st.shared.u32 [%s], %t;", "ld.shared.u32 %r1, [%s];"});
  // One byte of the word was left out.
  expect_found({"cvt.u16.u32 %h1, %t; st.shared.u8 [%s], %h1; st.shared.u8 [%s+1], %h1;",
                "st.shared.u8 [%s+2], %h1;", "ld.shared.u32 %r1, [%s];"},
               3, kFinding);
}

TEST_CASE(
    "A read that is written in part says so; an atomic on a byte puts the rest of a word back") {
  expect_found({"st.shared.u8 [%s], 1;", "ld.shared.u32 %r1, [%s];"}, 2,
               "uninitialised shared memory: read of 4 bytes at shared address 0x0, parts of which "
               "nobody");
  // As cuda::atomic_ref<unsigned char> does it.
  expect_silence({"st.shared.u8 [%s], 1;", "ld.relaxed.cta.shared.u32 %r1, [%s];",
                  "add.u32 %r2, %r1, 1;", "atom.shared.cas.b32 %r3, [%s], %r1, %r2;"});
  expect_found({"ld.relaxed.cta.shared.u32 %r1, [%s];"}, 1, kFinding);
}

TEST_CASE("Padding between rows may stay unwritten, reading it may not") {
  // Rows of 16 bytes, 20 apart, read twice so that the instruction has its addresses noted.
  const auto rows = [](int offset) {
    return Lines{"mad.lo.u32 %r1, %t, 20, %base;",
                 "st.shared.u32 [%r1], %t; st.shared.u32 [%r1+4], %t; st.shared.u32 [%r1+8], %t;",
                 "st.shared.u32 [%r1+12], %t;",
                 "bar.sync 0;",
                 "mov.u32 %r2, 0;",
                 "LOOP: mad.lo.u32 %r3, %r2, " + std::to_string(offset) + ", %r1;",
                 "ld.shared.u32 %r4, [%r3+12];",
                 "add.u32 %r2, %r2, 1; setp.lt.u32 %p0, %r2, 2; @%p0 bra LOOP;"};
  };
  expect_silence(rows(0));
  expect_found(rows(4), 7, kFinding);
}

TEST_CASE("A CTA does not inherit what the CTA before it has written") {
  // CTA 0 writes, the others do not.
  expect_found({"mov.u32 %r1, %ctaid.x;", "setp.eq.u32 %p0, %r1, 0;",
                "@%p0 st.shared.u32 [%s], %t;", "ld.shared.u32 %r2, [%s];"},
               4, kFinding, {.threads = 64, .ctas = 4});
}
