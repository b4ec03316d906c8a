// Lanes that a member mask names, wherever they stand.
#include "machine/tests/one_instruction.h"

using namespace tcd::emu;

namespace {

using u32 = uint32_t;
using u64 = uint64_t;

std::vector<Inputs> numbers(size_t count) {
  std::vector<Inputs> list(count);
  for (size_t i = 0; i < count; ++i) list[i].a = i;
  return list;
}

u64 pair(u64 d, u64 e) { return e << 32 | d; }

// Lanes 0-15 run `low`, the others `high`, and each writes its own %d and %e.
void check_branches(const std::string& low, const std::string& high,
                    const std::function<u64(const Inputs&)>& expected) {
  const std::string lines =
      "setp.lt.u32 %p, %a, 16;\n@%p bra LOW;\n" + high + "\nbra JOIN;\nLOW:\n" + low + "\nJOIN:\n";
  check_lines(lines, numbers(32), expected);
}

// The launch's error, from one warp.
LaunchError error_of(const std::string& lines) {
  Bench bench(lines_kernel(lines), 1, "h100");
  const u64 in = bench.upload(numbers(32)), out = bench.upload(std::vector<u64>(32));
  return bench.launch("k", {1}, {32}, Params().add(in).add(out).add(u32{32}));
}

}  // namespace

TEST_CASE("teams of one warp that come together, each with its own member mask") {
  const std::string lines = R"(
  and.b32 %e, %a, 3;
  match.any.sync.b32 %c, %e, -1;
  redux.sync.max.s32 %d, %a, %c;
  setp.eq.u32 %p, %a, 6;
  vote.sync.any.pred %q, %p, %c;
  selp.b32 %e, 1000, 0, %q;
  add.u32 %d, %d, %e;
  shr.u32 %b, %a, 4;
  match.all.sync.b32 %e|%p, %b, %c;
  selp.b32 %e, 1, 0, %p;)";
  const std::vector<u64> out = run_lines(lines, numbers(32), best_isa());
  for (u32 i = 0; i < 32; ++i) {
    CHECK((out[i] & 0xffffffff) == 28 + i % 4 + (i % 4 == 2 ? 1000 : 0));
    CHECK((out[i] >> 32) == 0);
  }
}

TEST_CASE("each branch of an `if` may have its own bar.warp.sync") {
  // Lanes 0-15 hand over to lanes 16-31 through global memory: those wait at another instruction.
  const std::string lines = R"(
  and.b32 %b, %a, 15;
  mad.wide.u32 %A, %b, 4, %in;
  setp.ge.u32 %p, %a, 16;
  @%p bra TAKE;
  mad.lo.u32 %c, %a, 3, 5;
  st.global.u32 [%A], %c;
  bar.warp.sync -1;
  mov.u32 %d, 1;
  bra END;
TAKE:
  bar.warp.sync -1;
  ld.global.u32 %d, [%A];
END:
)";
  const auto out = run_lines(lines, numbers(32), best_isa());
  for (u32 i = 0; i < 32; ++i) CHECK((out[i] & 0xffffffff) == (i < 16 ? 1 : (i - 16) * 3 + 5));
}

TEST_CASE("teams that part: bar.warp.sync waits for the members of every lane that came") {
  // Lanes 0-11 come together, in teams of eight; the rest of the second team comes elsewhere.
  const std::string lines = R"(
  and.b32 %b, %a, 24;
  shl.b32 %c, 255, %b;
  setp.ge.u32 %p, %a, 12;
  @%p bra REST;
  bar.warp.sync %c;
  xor.b32 %e, %a, 7;
  mad.wide.u32 %A, %e, 4, %in;
  ld.global.u32 %d, [%A];
  bra END;
REST:
  add.u32 %e, %a, 100;
  mad.wide.u32 %A, %a, 4, %in;
  st.global.u32 [%A], %e;
  bar.warp.sync %c;
END:
)";
  const auto out = run_lines(lines, numbers(32), best_isa());
  for (u32 i = 8; i < 12; ++i) CHECK((out[i] & 0xffffffff) == (i ^ 7) + 100);
}

TEST_CASE("shuffles in the two branches of an `if` meet") {
  // One row is two operands in one branch, the result is where the source was in the other.
  check_branches(
      "add.u32 %b, %a, 100; shfl.sync.bfly.b32 %d|%q, %b, 31, 31, -1; selp.u32 %e, 1, 0, %q;",
      "mul.lo.u32 %d, %a, 2; mov.u32 %c, 16; shfl.sync.bfly.b32 %d, %d, %c, 31, -1;",
      [](const Inputs& x) { return x.a < 16 ? pair(2 * (31 - x.a), 1) : pair(x.a - 16 + 100, 0); });
}

TEST_CASE("votes in the two branches of an `if` meet, one of them negated") {
  check_branches("setp.eq.u32 %q, %a, 3; vote.sync.ballot.b32 %d, %q, -1;",
                 "setp.ne.u32 %q, %a, 30; vote.sync.ballot.b32 %e, !%q, -1;", [](const Inputs& x) {
                   const u64 ballot = 1u << 3 | 1u << 30;
                   return x.a < 16 ? pair(ballot, 0) : pair(0, ballot);
                 });
  check_branches("setp.lt.u32 %q, %a, 99; vote.sync.all.pred %p, %q, -1; selp.u32 %d, 7, 8, %p;",
                 "setp.eq.u32 %q, %a, 31; vote.sync.all.pred %q, !%q, -1; selp.u32 %d, 7, 8, %q;",
                 [](const Inputs&) { return 8; });
}

TEST_CASE("match, redux and elect in the two branches of an `if` meet") {
  check_branches("and.b32 %b, %a, 7; redux.sync.add.s32 %d, %b, -1;",
                 "mov.u32 %d, 1000; redux.sync.add.s32 %d, %d, -1;",
                 [](const Inputs&) { return 2 * 28 + 16'000; });
  check_branches("and.b64 %B, %A, 12; match.any.sync.b64 %d, %B, -1;",
                 "and.b64 %C, %A, 4; match.any.sync.b64 %d, %C, -1;", [](const Inputs& x) {
                   u64 same = 0;
                   const auto value = [](u64 a) { return a & (a < 16 ? 12 : 4); };
                   for (u64 i = 0; i < 32; ++i) same |= u64{value(i) == value(x.a)} << i;
                   return same;
                 });
  check_branches(
      "match.all.sync.b32 %d|%q, 5, -1; selp.u32 %e, 1, 0, %q;",
      "mov.u32 %b, 5; match.all.sync.b32 %e|%q, %b, -1; selp.u32 %d, 1, 0, %q;",
      [](const Inputs& x) { return x.a < 16 ? pair(0xffffffff, 1) : pair(1, 0xffffffff); });
  check_branches("elect.sync %d|%q, -1; selp.u32 %e, 1, 0, %q;",
                 "elect.sync %d|%q, -1; selp.u32 %e, 1, 0, %q;",
                 [](const Inputs& x) { return pair(0, x.a == 0); });
}

TEST_CASE("teams of both branches meet, and lanes whose guard is false are not waited for") {
  // Teams of the odd and of the even lanes; of the upper branch only lanes below 24 take part, and
  // the others' masks name nobody above.
  const std::string half = "and.b32 %b, %a, 1; shl.b32 %c, 0x00555555, %b;";
  check_branches(half + "redux.sync.add.u32 %d, %a, %c;",
                 half + "setp.lt.u32 %q, %a, 24; @%q redux.sync.add.u32 %d, 100, %c;",
                 [](const Inputs& x) {
                   const u64 below = x.a % 2 == 0 ? 56 : 64;  // of 16 lanes, every second
                   return x.a < 24 ? below + 400 : 0;
                 });
}

TEST_CASE("a complete team goes on although its split waits for another team") {
  // Lanes 0-7 and 8-11 come together; these wait for lanes 12-15, which wait for lane 0's flag.
  const std::string lines = R"(
  mov.u32 %c, 255;
  setp.lt.u32 %p, %a, 8;
  setp.ge.u32 %q, %a, 16;
  @%q exit;
  @!%p mov.u32 %c, 0xff00;
  setp.ge.u32 %q, %a, 12;
  @%q bra REST;
  shfl.sync.bfly.b32 %d, %a, 1, 31, %c;
  @!%p bra END;
  membar.gl;
  st.volatile.global.u32 [%out+256], 1;
  bra END;
REST:
  ld.volatile.global.u32 %e, [%out+256];
  setp.eq.u32 %q, %e, 0;
  @%q bra REST;
  mov.u32 %e, 0;
  shfl.sync.bfly.b32 %d, %a, 3, 31, %c;
END:
)";
  const auto out = run_lines(lines, numbers(40), best_isa());
  for (u32 i = 0; i < 16; ++i) CHECK(out[i] == (i < 12 ? i ^ 1 : i ^ 3));
}

TEST_CASE("what does not match does not meet, and the deadlock names both places") {
  struct Pair {
    std::string low, high, waits[2];
  };
  const Pair pairs[] = {
      {"shfl.sync.bfly.b32 %d, %a, 1, 31, -1;",
       "shfl.sync.down.b32 %d, %a, 1, 31, -1;",
       {"waits for lanes 16-31 at PTX line", "waits for lanes 0-15 at PTX line"}},
      {"setp.ne.u32 %q, %a, 0; vote.sync.any.pred %q, %q, -1;",
       "setp.ne.u32 %q, %a, 0; vote.sync.all.pred %q, %q, -1;",
       {"`vote.sync.any.pred", "`vote.sync.all.pred"}},
      {"bar.warp.sync -1; bar.sync 0;", "bar.sync 0;", {"`bar.warp.sync", "`bar.sync"}},
      {"redux.sync.add.u32 %d, %a, -1;",
       "redux.sync.add.u32 %d, %a, 0xffff8000; bar.sync 0;",
       {"waits for lanes 16-31", "waits for lane 15 at"}},
  };
  for (const Pair& p : pairs) {
    const LaunchError e = error_of("setp.lt.u32 %p, %a, 16;\n@%p bra LOW;\n" + p.high +
                                   "\nbra JOIN;\nLOW:\n" + p.low + "\nJOIN:\n");
    INFO(p.low, " | ", p.high, ":\n", e.message);
    CHECK(e.fault == Fault::kDeadlock);
    for (const std::string& what : p.waits) CHECK(e.message.find(what) != std::string::npos);
    CHECK(e.message.find("the same qualifiers and the same member mask") != std::string::npos);
  }
}

TEST_CASE("lanes meet in two activations of one function") {
  const std::string function = R"(
.func (.param .b32 r) total(.param .b32 v)
{
  .reg .b32 %r<4>;
  ld.param.u32 %r1, [v];
  redux.sync.add.u32 %r2, %r1, -1;
  st.param.b32 [r], %r2;
  ret;
}
)";
  const auto call = [](const char* what) {
    return std::string("{ .param .b32 x; .param .b32 y; st.param.b32 [x], ") + what +
           "; call (y), total, (x); ld.param.b32 %d, [y]; }";
  };
  std::string ptx =
      lines_kernel("setp.lt.u32 %p, %a, 16;\n@%p bra LOW;\n" + call("%a") +
                   "\nbra JOIN;\nLOW:\nadd.u32 %b, %a, 10;\n" + call("%b") + "\nJOIN:\n");
  ptx.insert(ptx.find(".visible"), function);
  Bench bench(ptx, 1, "h100");
  const u64 in = bench.upload(numbers(32)), out = bench.upload(std::vector<u64>(32));
  const LaunchError e = bench.launch("k", {1}, {32}, Params().add(in).add(out).add(u32{32}));
  INFO(e.message);
  REQUIRE(e.fault == Fault::kNone);
  for (const u64 sum : bench.download<u64>(out, 32)) CHECK(sum == 31 * 16 + 160);
}
