// Text that means harm: every case must end in a ParseError, quickly and in bounded memory.
#include <doctest/doctest.h>

#include <chrono>
#include <string>

#include "ptx/control_flow.h"
#include "ptx/tests/flow_text.h"

using namespace tcd::emu::ptx;

namespace {

const std::string kHeader = ".version 9.0\n.target sm_80\n.address_size 64\n";

std::string repeat(const std::string& text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

bool is_refused(const std::string& text) {
  try {
    parse(text);
  } catch (const ParseError& error) {
    CHECK(std::string(error.what()).size() < 400);
    CHECK(error.line() >= 1);
    return true;
  }
  return false;
}

}  // namespace

TEST_CASE("sizes") {
  CHECK(is_refused(kernel_text(".reg .b32 %x<4000000000>;")));
  CHECK(is_refused(kernel_text(".reg .b32 %x<-1>;")));
  CHECK(is_refused(kernel_text(".reg .b32 %x<99999999999999999999999>;")));
  CHECK(is_refused(kernel_text(repeat("{ .reg .b32 %x<100000>; }", 20))));
  CHECK(is_refused(kHeader + ".global .u32 x[4294967296][4294967296];"));
  CHECK(is_refused(kHeader + ".global .u32 x[0][4294967296][4294967296];"));
  CHECK(is_refused(kHeader + ".global .u32 x[2][100000000] = {{1},{2}};"));
  CHECK(is_refused(kHeader + ".global .u32 x[][100000000] = {{1},{2}};"));
  CHECK(is_refused(kHeader + ".global .u8 x" + repeat("[2]", 9) + ";"));
  CHECK(is_refused(kHeader + ".file 4000000000 \"x\""));
  CHECK(is_refused(kHeader + ".entry k .maxntid 4294967295,4294967295,4294967295 { ret; }"));
  CHECK(is_refused(kHeader + ".entry k .maxntid 1,1,1,1 { ret; }"));
  // The control: the largest that must still pass.
  CHECK_FALSE(is_refused(kernel_text(".reg .b32 %x<1000000>;")));
}

TEST_CASE("nesting does not use up the stack") {
  constexpr int kMany = 200000;
  CHECK(is_refused(kernel_text("mov.u32 %r1, " + repeat("(", kMany))));
  CHECK(is_refused(kernel_text("mov.u32 %r1, " + repeat("-", kMany) + "1;")));
  CHECK(is_refused(kernel_text("mov.u32 %r1, " + repeat("!", kMany) + "1;")));
  CHECK(is_refused(kernel_text("mov.u32 %r1, " + repeat("1?", kMany) + "1;")));
  CHECK(is_refused(kernel_text("mov.u32 %r1, " + repeat("1?1:", kMany) + "1;")));
  CHECK(is_refused(kernel_text(repeat("{", kMany))));
  CHECK(is_refused(kernel_text("mov.u32 " + repeat("{", kMany))));
  CHECK(is_refused(kHeader + ".global .u32 x[2] = " + repeat("{", kMany)));
  CHECK_FALSE(is_refused(kernel_text(repeat("{", 100) + "ret;" + repeat("}", 100))));
  CHECK_FALSE(
      is_refused(kernel_text("mov.u32 %r1, " + repeat("(", 30) + "1" + repeat(")", 30) + ";")));
  CHECK_FALSE(is_refused(kernel_text("mov.u32 %r1, 1" + repeat("+1", 10000) + ";")));
}

TEST_CASE("unfinished text") {
  CHECK(is_refused(kHeader + ".entry k() {"));
  CHECK(is_refused(kHeader + ".section .debug_str { {"));
  CHECK(is_refused(kHeader + ".file 1 \"abc"));
  CHECK(is_refused(kHeader + ".entry k() { mov.u32"));
  CHECK(is_refused(kHeader + "."));
  CHECK(is_refused(kHeader + ".entry"));
  CHECK(is_refused(kHeader + ".extern"));
  CHECK(is_refused(kHeader + "/*"));
  CHECK(is_refused(kHeader + std::string("\0.entry", 7)));
}

TEST_CASE("long texts take time in proportion") {
  const auto seconds = [](const std::string& text) {
    const auto start = std::chrono::steady_clock::now();
    try {
      const Module m = parse(text);
      for (const Function& f : m.functions) schedule_for_reconvergence(f);
    } catch (const ParseError&) {
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  std::string names, ranges, labels, loops, locs, brx, calls;
  for (int i = 0; i < 20000; ++i) {
    const std::string n = std::to_string(i);
    names += ".reg .b32 v" + n + ";\nmov.u32 v" + n + ", 1;\n";
    ranges += ".reg .b32 %w" + n + "_<1>;\nmov.u32 %w" + n + "_0, 1;\n";
    calls += "{ .param .b32 param0; st.param.b32 [param0], %r1; }\n";
    labels += "L" + n + ": @%p1 bra L" + std::to_string(i * 7919 % 20000) + ";\n";
    locs += ".loc 1 " + n + " 1, function_name x, inlined_at 1 " + std::to_string(i - (i > 0)) +
            " 1\nret;\n";
    loops += "L" + n + ":\nadd.s32 %r1, %r1, 1;\n";
  }
  for (int i = 20000; i-- > 0;) loops += "@%p1 bra L" + std::to_string(i) + ";\n";  // nested
  brx = "T: .branchtargets " + repeat("A,", 50000) + "A;\n" + repeat("brx.idx %r1, T;\n", 20000) +
        "A: ret;";
  // Each takes well under 0.1 s here; ten times that would be a sign of quadratic work.
  constexpr double kLimit = 3.0;  // sanitizers and busy machines included
  CHECK(seconds(kernel_text(names)) < kLimit);
  CHECK(seconds(kernel_text(ranges)) < kLimit);
  CHECK(seconds(kernel_text(labels)) < kLimit);
  CHECK(seconds(kernel_text(loops)) < kLimit);
  CHECK(seconds(kernel_text(locs)) < kLimit);
  CHECK(seconds(kernel_text(brx)) < kLimit);
  CHECK(seconds(kernel_text(calls)) < kLimit);
}
