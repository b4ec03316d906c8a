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

TEST_CASE("A struct is copied whole, with its padding") {
  // { char c; int i; }, both members written.
  const std::string fill =
      "mad.lo.u32 %r1, %t, 8, %base; mul.wide.u32 %x1, %t, 8;"
      "add.u64 %x1, %x1, %g; st.shared.u8 [%r1], 1; st.shared.u32 [%r1+4], %t;";
  const std::string barrier = "bar.sync 0; xor.b32 %r1, %r1, 256;";
  expect_silence({fill, barrier, "ld.shared.v2.u32 {%r2, %r3}, [%r1];",
                  "st.global.v2.u32 [%x1], {%r2, %r3};"});
  expect_silence({fill, barrier, "ld.shared.u64 %x2, [%r1]; mov.b64 {%r2, %r3}, %x2;",
                  "mov.b64 %x3, {%r2, %r3}; st.global.u64 [%x1], %x3;"});
  expect_silence({fill, barrier, "ld.shared.u8 %h1, [%r1+1]; st.global.u8 [%x1], %h1;"});
  // Computed with, or a member that nobody has written.
  expect_found({fill, barrier, "ld.shared.v2.u32 {%r2, %r3}, [%r1]; add.u32 %r2, %r2, 1;",
                "st.global.v2.u32 [%x1], {%r2, %r3};"},
               3, kFinding);
  expect_found({fill, barrier, "ld.shared.u8 %h1, [%r1+1]; add.u16 %h1, %h1, 1;"}, 3, kFinding);
  expect_found({"mad.lo.u32 %r1, %t, 8, %base; st.shared.u32 [%r1], %t;", "bar.sync 0;",
                "ld.shared.u32 %r2, [%r1+4]; st.shared.u32 [%r1], %r2;"},
               3, kFinding);
}
