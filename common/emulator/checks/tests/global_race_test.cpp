// Races between the CTAs of a launch, and what is none.
#include <regex>

#include "checks/tests/check_bench.h"

namespace tcd::emu {
namespace {

const std::string kRead = "race in global memory: read of 4 bytes";
const std::string kWrite = "race in global memory: write of 4 bytes";

// %r1: the CTA. %x1: the address of the thread's own word, %x2: of word 0 for all CTAs alike.
Lines with_addresses(const Lines& rest) {
  Lines lines = {
      "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mad.lo.u32 %r3, %r1, %r2, %t;"
      "mul.wide.u32 %x1, %r3, 4; add.u64 %x1, %x1, %g;"
      "mul.wide.u32 %x2, %t, 4; add.u64 %x2, %x2, %g; setp.eq.u32 %p1, %r1, 0;"
      "setp.eq.u32 %p2, %t, 0; setp.eq.u32 %p3, %r1, 1;"};
  lines.insert(lines.end(), rest.begin(), rest.end());
  return lines;
}

CheckRun ctas(uint32_t count, int host_threads = 1) {
  CheckRun how;
  how.ctas = count;
  how.host_threads = host_threads;
  return how;
}

// Where the device's memory lies is the host's choice.
std::string without_addresses(const std::string& text) {
  return std::regex_replace(text, std::regex("0x[0-9a-f]+"), "0x…");
}

}  // namespace

TEST_CASE("two CTAs write different values to one place") {
  const Lines wrong = with_addresses({"st.global.u32 [%x2], %r3;"});
  expect_found(wrong, 2, kWrite, ctas(2));
  expect_silence(wrong, ctas(1));
  expect_silence(with_addresses({"st.global.u32 [%x1], %r3;"}), ctas(2));
  // The same value from all: a flag that anybody may set.
  expect_silence(with_addresses({"st.global.u32 [%x2], %t;"}), ctas(3));
  expect_silence(with_addresses({"red.global.add.u32 [%x2], 1;"}), ctas(3));
}

TEST_CASE("both parties are named") {
  const Checked result = run_checked(
      with_addresses({"@%p1 ld.global.u32 %r4, [%x2+256];", "@%p3 st.global.u32 [%x1], %r3;"}),
      ctas(2));
  REQUIRE(result.error.reports.size() == 1);
  const std::string& text = result.error.reports[0].text;
  INFO(text);
  CHECK(text.starts_with(kRead + " at global address 0x"));
  CHECK(text.find("which another CTA writes with nothing to order the two: byte 256 of the "
                  "allocation [0x") != std::string::npos);
  CHECK(text.find("source  kernel.cu:2\n") != std::string::npos);
  CHECK(text.find("thread  warp 0, lane 0, thread (0,0,0) of CTA (0,0,0)\n") != std::string::npos);
  CHECK(text.find("other   writes: warp 0, lane 0, thread (0,0,0) of CTA (1,0,0) at kernel.cu:3, "
                  "`st.global.u32 [%x1], %r3;`") != std::string::npos);
  CHECK(text.find("__threadfence()") != std::string::npos);
  CHECK(text.find("count   64 times") != std::string::npos);
}

TEST_CASE("who comes first changes no report") {
  // Each CTA reads what the next one writes, and all write the first 64 words.
  const Lines wrong = with_addresses(
      {"ld.global.u32 %r4, [%x1+256];", "st.global.u32 [%x1], %r3;", "st.global.u32 [%x2], %r3;"});
  const std::string one = without_addresses(run_checked(wrong, ctas(40)).all());
  CHECK(one.find("CTA (1,0,0)") != std::string::npos);
  for (int threads : {2, 7}) {
    for (int times = 0; times < 5; ++times) {
      CHECK(without_addresses(run_checked(wrong, ctas(40, threads)).all()) == one);
    }
  }
}

TEST_CASE("bytes of one word may belong to different CTAs") {
  const auto bytes = [](const std::string& width) {
    return with_addresses(
        {"mad.lo.u32 %r4, %t, 4, %r1; cvt.u64.u32 %x3, %r4; add.u64 %x3, %x3, %g;",
         "st.global.u" + width + " [%x3], %r1;"});
  };
  expect_silence(bytes("8"), ctas(4));
  expect_found(
      with_addresses({"cvt.u64.u32 %x3, %t; add.u64 %x3, %x3, %g;", "st.global.u8 [%x3], %r1;"}), 3,
      "race in global memory: write of 1 bytes", ctas(4));
  // Wide reads and writes cover several units.
  expect_found(
      with_addresses({"mul.lo.u32 %r4, %t, 16; cvt.u64.u32 %x3, %r4; add.u64 %x3, %x3, %g;",
                      "@%p1 ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%x3];",
                      "@%p3 st.global.u32 [%x2+64], %r3;"}),
      3, kRead, ctas(2));
}

TEST_CASE("a pointer from memory may lead anywhere") {
  // Word 0 and 1 hold a pointer to word 64.
  const Lines wrong =
      with_addresses({"add.u64 %x4, %g, 256;", "@%p1 st.global.u64 [%g], %x4;", "bar.sync 0;",
                      "ld.volatile.global.u64 %x5, [%g]; selp.b64 %x5, %x5, %x4, %p1;",
                      "st.global.u32 [%x5], %r3;"});
  expect_found(wrong, 6, kWrite, ctas(2));
}

TEST_CASE("a flag orders, if a fence comes before it") {
  // CTA 1 fills words 64 to 127 and sets word 200; CTA 0 waits for it and reads them.
  const auto flag = [](const std::string& fence, const std::string& set, const std::string& get) {
    return with_addresses({"mov.u32 %r9, 7; mov.u32 %r10, 0; @%p1 bra WAIT;",
                           "st.global.u32 [%x1], %r3;", fence + " bar.sync 0;",
                           "@%p2 " + set + " bra END;", "WAIT: " + get,
                           "setp.ne.u32 %p4, %r10, 7; @%p4 bra WAIT;", "bar.sync 0;",
                           "ld.global.u32 %r4, [%x1+256];", "END: ret;"});
  };
  const std::string store = "st.volatile.global.u32 [%g+800], %r9;";
  const std::string load = "ld.volatile.global.u32 %r10, [%g+800];";
  for (int threads : {1, 2}) {
    const CheckRun how = ctas(2, threads);
    expect_silence(flag("membar.gl;", store, load), how);
    expect_silence(
        flag("fence.acq_rel.gpu;", "red.relaxed.gpu.global.exch.b32 [%g+800], %r9;", load), how);
    expect_silence(flag("", "st.release.gpu.global.u32 [%g+800], %r9;",
                        "ld.acquire.gpu.global.u32 %r10, [%g+800];"),
                   how);
    expect_silence(flag("membar.gl;", "atom.global.exch.b32 %r5, [%g+800], %r9;",
                        "atom.global.or.b32 %r10, [%g+800], 0;"),
                   how);
  }
  expect_found(flag("", store, load), 9, kRead, ctas(2));
  expect_found(flag("membar.cta;", store, load), 9, kRead, ctas(2));
  // Set before the data are there.
  expect_found(with_addresses({"mov.u32 %r9, 7; mov.u32 %r10, 0; @%p1 bra WAIT; membar.gl;",
                               "@%p2 " + store, "st.global.u32 [%x1], %r3;", "bra END;",
                               "WAIT: " + load, "setp.ne.u32 %p4, %r10, 7; @%p4 bra WAIT;",
                               "ld.global.u32 %r4, [%x1+256];", "END: ret;"}),
               8, kRead, ctas(2));
}

TEST_CASE("the CTA that comes last may read what all have written") {
  const auto last = [](const std::string& fence) {
    return with_addresses({"mov.u32 %r5, 0; mov.u32 %r6, 0;", "st.global.u32 [%x1], %r3;", fence,
                           "bar.sync 0; @!%p2 bra ALL;",
                           "atom.global.inc.u32 %r5, [%g+8000], 9; st.shared.u32 [%base], %r5;",
                           "ALL: bar.sync 0; ld.shared.u32 %r5, [%base];",
                           "setp.ne.u32 %p4, %r5, 2; @%p4 bra END;", "ld.global.u32 %r4, [%x2];",
                           "ld.global.u32 %r6, [%x2+256]; ld.global.u32 %r7, [%x2+512];",
                           "@%p2 st.global.u32 [%g+8000], %r6;", "END: ret;"});
  };
  // The counter must be 0 at first: word 2,000 is not, so take it from there.
  const auto zeroed = [&](const std::string& fence) {
    Lines lines = last(fence);
    for (std::string& line : lines) {
      const size_t at = line.find("atom.global.inc.u32 %r5, [%g+8000], 9;");
      if (at != std::string::npos)
        line.replace(at, 38,
                     "atom.global.add.u32 %r5, [%g+8000], 1;"
                     " sub.u32 %r5, %r5, 2001;");
    }
    return lines;
  };
  for (int threads : {1, 3}) expect_silence(zeroed("membar.gl;"), ctas(3, threads));
  expect_found(zeroed("membar.cta;"), 10, kRead, ctas(3));
}

TEST_CASE("a lock orders, if its owner fences before giving it up") {
  const auto lock = [](const std::string& fence) {
    return with_addresses({"@!%p2 bra END;", "TRY: atom.global.cas.b32 %r5, [%g+8000], 2001, 5;",
                           "setp.ne.u32 %p4, %r5, 2001; @%p4 bra TRY;",
                           "ld.global.u32 %r6, [%g]; add.u32 %r6, %r6, 1;",
                           "st.global.u32 [%g], %r6;", fence,
                           "atom.global.exch.b32 %r5, [%g+8000], 2001;", "END: ret;"});
  };
  for (int threads : {1, 3}) expect_silence(lock("membar.gl;"), ctas(5, threads));
  expect_found(lock(""), 6, kWrite, ctas(5));
}

// %x3: the word of the same lane in the CTA's other warp.
Lines with_other_warp(const Lines& rest) {
  Lines lines = with_addresses(
      {"xor.b32 %r5, %t, 32; mad.lo.u32 %r5, %r1, %r2, %r5; mul.wide.u32 %x3, %r5, 4;"
       "add.u64 %x3, %x3, %g; setp.eq.u32 %p5, %w, 0;"});
  lines.insert(lines.end(), rest.begin(), rest.end());
  return lines;
}

TEST_CASE("warps of one CTA hand over through global memory: a barrier must come in between") {
  const std::string store = "st.global.u32 [%x1], %r3;", load = "ld.global.u32 %r4, [%x3];";
  for (const uint32_t count : {1u, 3u}) {
    expect_found(with_other_warp({store, load}), 4, kRead, ctas(count));
    expect_found(with_other_warp({store, "bar.warp.sync -1;", load}), 5, kRead, ctas(count));
    expect_silence(with_other_warp({store, "bar.sync 0;", load}), ctas(count));
    expect_silence(with_other_warp({store, "bar.arrive 1, 128; bar.sync 1, 128;", load}),
                   ctas(count));
    expect_silence(with_other_warp({store, "membar.gl;", load}), ctas(count));  // not looked at
  }
  const Checked result = run_checked(with_other_warp({store, load}), ctas(2));
  CHECK(result.error.reports.size() == 2);  // warp 0 read before warp 1 wrote
  const std::string text = result.all();
  INFO(text);
  CHECK(text.find("which another warp of the CTA wrote with no barrier in between: byte 0 of the "
                  "allocation [0x") != std::string::npos);
  CHECK(text.find("thread  warp 1, lane 0, thread (32,0,0) of CTA (0,0,0)\n") != std::string::npos);
  CHECK(text.find("other   wrote: warp 0, lane 0, thread (0,0,0) at kernel.cu:3, "
                  "`st.global.u32 [%x1], %r3;`") != std::string::npos);
}

TEST_CASE("a warp of the CTA writes what another one reads or writes") {
  const std::string swap = "ld.global.u32 %r4, [%x3];", store = "st.global.u32 [%x1], %r4;";
  expect_found(with_other_warp({swap, store}), 3, kRead);
  expect_found(with_other_warp({swap, store}), 4, kWrite);
  expect_silence(with_other_warp({swap, "bar.sync 0;", store}));
  // Both read word 0, and then the one that read first writes: the second one is remembered.
  const Lines first_writes = with_other_warp(
      {"ld.global.u32 %r4, [%g];", "nanosleep.u32 1;", "@%p2 st.global.u32 [%g], 7;"});
  expect_found(first_writes, 5, kWrite);
  CHECK(run_checked(first_writes).all().find("other   read: warp 1") != std::string::npos);
  // One word for both warps.
  const std::string lane = "and.b32 %r6, %t, 31; mul.wide.u32 %x4, %r6, 4; add.u64 %x4, %x4, %g;";
  expect_found(with_other_warp({lane, "st.global.u32 [%x4], %t;"}), 4, kWrite);
  expect_silence(with_other_warp({lane, "st.global.u32 [%x4], %r6;"}));
  expect_silence(with_other_warp(
      {lane, "@%p5 st.global.u32 [%x4], %t; bar.sync 0;", "@!%p5 st.global.u32 [%x4], %t;"}));
}

TEST_CASE("flags, counters and locks order the warps of a CTA") {
  const auto hand_over = [](const std::string& give, const std::string& look) {
    return with_other_warp({"mov.u32 %r9, 1; mov.u32 %r10, 0; @!%p5 bra LOOK;",
                            "st.global.u32 [%x1], %r3; st.global.u32 [%x3], %r3;", give, "bra END;",
                            "LOOK: " + look, "setp.eq.u32 %p4, %r10, 0; @%p4 bra LOOK;",
                            "ld.global.u32 %r4, [%x1]; st.global.u32 [%x3], %t;", "END: ret;"});
  };
  const std::string zero = "st.volatile.shared.u32 [%base], 0; bar.sync 0;";
  const auto from_zero = [&](Lines lines) {
    lines.insert(lines.begin() + 2, zero);
    return lines;
  };
  for (const uint32_t count : {1u, 3u}) {
    expect_silence(from_zero(hand_over("st.volatile.shared.u32 [%base], %r9;",
                                       "ld.volatile.shared.u32 %r10, [%base];")),
                   ctas(count));
    expect_silence(from_zero(hand_over("red.shared.add.u32 [%base], 1;",
                                       "atom.shared.or.b32 %r10, [%base], 0;")),
                   ctas(count));
    expect_silence(with_other_warp({"@%p5 st.global.u32 [%x1], %r3;",
                                    "@%p5 bar.arrive 1, 64; @!%p5 bar.sync 1, 64;",
                                    "@!%p5 ld.global.u32 %r4, [%x3];"}),
                   ctas(count));
  }
  expect_found(hand_over("", "mov.u32 %r10, 1;"), 9, kRead);
}

TEST_CASE("atomics of one CTA race with plain accesses of another") {
  const std::string add = "red.global.add.u32 [%x2], 1;";
  // The first CTA sets to zero what all add to; each CTA reads what the others still add to.
  expect_found(with_addresses({"@%p1 st.global.u32 [%x2], 0;", add}), 2, kWrite, ctas(3));
  expect_found(with_addresses({"@%p3 st.global.u32 [%x2], 0;", "@%p1 " + add}), 2, kWrite, ctas(3));
  for (int threads : {1, 3}) {
    expect_found(with_addresses({add, "bar.sync 0;", "ld.global.u32 %r4, [%x2];"}), 4, kRead,
                 ctas(3, threads));
  }
  const Checked result = run_checked(
      with_addresses({"@%p1 " + add, "bar.sync 0;", "@%p3 ld.global.u32 %r4, [%x2];"}), ctas(3));
  REQUIRE(result.error.reports.size() == 1);
  CHECK(result.all().find("other   writes: warp 0, lane 0, thread (0,0,0) of CTA (0,0,0) at "
                          "kernel.cu:2, `red.global.add.u32 [%x2], 1;`") != std::string::npos);
  // Each CTA has its own counters.
  expect_silence(with_addresses({"st.global.u32 [%x1], 0; bar.sync 0;",
                                 "red.global.add.u32 [%x1], 1;", "ld.global.u32 %r4, [%x1];"}),
                 ctas(3));
}

TEST_CASE("plain accesses that belong to an atomic") {
  // So that atomics are looked at: a word behind all others is set, and read.
  const std::string noted = "ld.global.u32 %r7, [%g+32768];";
  expect_silence(
      with_addresses({"ld.global.u32 %r4, [%x2];",
                      "AGAIN: add.u32 %r5, %r4, 1;"
                      "atom.global.cas.b32 %r6, [%x2], %r4, %r5;",
                      "setp.ne.u32 %p4, %r6, %r4; mov.u32 %r4, %r6; @%p4 bra AGAIN;", noted}),
      ctas(3));
  expect_silence(with_addresses({"ld.global.u32 %r4, [%x2]; setp.gt.u32 %p4, %r4, %t;",
                                 "@%p4 red.global.min.u32 [%x2], %t;", noted}),
                 ctas(3));
  expect_silence(with_addresses({"@!%p2 bra END;", "atom.global.add.u32 %r5, [%g+8000], 1;",
                                 "setp.eq.u32 %p4, %r5, 2003; @%p4 st.global.u32 [%g+8000], 2001;",
                                 noted, "END: ret;"}),
                 ctas(3));
}

TEST_CASE("what atomics have left is read after a barrier of the grid") {
  const auto phases = [](const std::string& fence, const std::string& first) {
    return with_addresses({first, "red.global.add.u32 [%x2], 1;", fence,
                           "bar.sync 0; @!%p2 bra IN;", "atom.global.add.u32 %r5, [%g+8000], 1;",
                           "SPIN: ld.volatile.global.u32 %r6, [%g+8000];",
                           "setp.lt.u32 %p4, %r6, 2004; @%p4 bra SPIN;", "IN: bar.sync 0;",
                           "ld.global.u32 %r4, [%x2];"});
  };
  for (int threads : {1, 3}) {
    expect_silence(phases("membar.gl;", ""), ctas(3, threads));
    expect_found(phases("", "membar.gl;"), 10, kRead, ctas(3, threads));
  }
}

TEST_CASE("the settings choose") {
  CheckRun how = ctas(2);
  const Lines wrong = with_addresses({"st.global.u32 [%x2], %r3;"});
  how.settings = parse_checks("async,uninitialised");
  expect_silence(wrong, how);
  how.settings = parse_checks("off");
  expect_silence(wrong, how);
  how.settings = parse_checks("stop");
  const Checked stopped = run_checked(wrong, how);
  CHECK(stopped.error.fault == Fault::kCheck);
  CHECK(stopped.error.message.starts_with(kWrite));
}

}  // namespace tcd::emu
