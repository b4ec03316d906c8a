// Divergence, loops, calls, branch tables, lanes that wait for each other.
#include "machine/tests/one_instruction.h"

using namespace tcd::emu;

namespace {

using u64 = uint64_t;
using u32 = uint32_t;

std::vector<Inputs> numbers(size_t count) {
  std::vector<Inputs> v;
  for (size_t i = 0; i < count; ++i) v.push_back({i, i * 7 % 13, i / 3});
  return v;
}

std::string with_function(const std::string& function, const std::string& kernel) {
  std::string ptx = lines_kernel(kernel);
  const size_t at = ptx.find(".visible");
  return ptx.substr(0, at) + function + ptx.substr(at);
}

std::vector<u64> run_ptx(const std::string& ptx, const std::vector<Inputs>& inputs,
                         LaunchCounters* counters = nullptr) {
  Bench bench(ptx, 1, "h100");
  const u64 in = bench.upload(inputs), out = bench.upload(std::vector<u64>(inputs.size()));
  const auto e = bench.launch("k", {1}, {static_cast<u32>((inputs.size() + 31) / 32 * 32)},
                              Params().add(in).add(out).add(static_cast<u32>(inputs.size())));
  INFO(e.message);
  REQUIRE(e.fault == Fault::kNone);
  if (counters != nullptr) *counters = bench.counters;
  return bench.download<u64>(out, inputs.size());
}

u32 collatz(u32 n) {
  u32 steps = 0;
  for (; n > 1; ++steps) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
  return steps;
}

}  // namespace

TEST_CASE("nested branches and loops of different length") {
  const std::string lines = R"(
  add.u32 %a, %a, 1;
LOOP:
  setp.le.u32 %p, %a, 1;
  @%p bra END;
  and.b32 %b, %a, 1;
  setp.eq.u32 %q, %b, 0;
  @%q bra EVEN;
  mad.lo.u32 %a, %a, 3, 1;
  bra NEXT;
EVEN:
  shr.u32 %a, %a, 1;
NEXT:
  add.u32 %d, %d, 1;
  bra LOOP;
END:
)";
  check_lines(lines, numbers(70),
              [](const Inputs& x) -> u64 { return collatz(static_cast<u32>(x.a) + 1); });
}

TEST_CASE("lanes reconverge: the shared tail runs once") {
  LaunchCounters split, straight;
  const std::string tail =
      "add.u32 %d, %d, 1; add.u32 %d, %d, 1; add.u32 %d, %d, 1;"
      "add.u32 %d, %d, 1; add.u32 %d, %d, 1; add.u32 %d, %d, 1;";
  run_ptx(lines_kernel(R"(
  and.b32 %b, %a, 1;
  setp.eq.u32 %q, %b, 0;
  @%q bra EVEN;
  mov.u32 %d, 10;
  bra JOIN;
EVEN:
  mov.u32 %d, 20;
JOIN:
)" + tail),
          numbers(32), &split);
  run_ptx(lines_kernel("and.b32 %b, %a, 1; setp.eq.u32 %q, %b, 0; mov.u32 %d, 10;" + tail),
          numbers(32), &straight);
  // Branch, second mov, jump: three more; twice the tail would be nine.
  CHECK(split.warp_instructions - straight.warp_instructions <= 3);
  CHECK(split.warp_instructions > straight.warp_instructions);
}

TEST_CASE("shuffles after divergence see all lanes") {
  const std::string lines = R"(
  setp.lt.u32 %p, %c, 4;
  mov.u32 %e, 1;
  @!%p bra JOIN;
  mov.u32 %e, 100;
JOIN:
  mov.u32 %i, %laneid;
  shfl.sync.bfly.b32 %d, %e, 16, 31, -1;
  mov.u32 %e, 0;
)";
  const auto got = run_ptx(lines_kernel(lines), numbers(32));
  for (u32 i = 0; i < 32; ++i) CHECK(got[i] == ((i ^ 16) / 3 < 4 ? 100 : 1));
}

TEST_CASE("the four shuffles, and predicates of lanes outside") {
  const auto run = [](const std::string& line) { return run_ptx(lines_kernel(line), numbers(32)); };
  const auto up = run("shfl.sync.up.b32 %d|%p, %a, 3, 0, -1; selp.u32 %e, 1, 0, %p;");
  const auto down = run("shfl.sync.down.b32 %d|%p, %a, 5, 31, -1; selp.u32 %e, 1, 0, %p;");
  const auto idx = run("shfl.sync.idx.b32 %d, %a, %b, 31, -1;");
  const auto eighths = run("shfl.sync.idx.b32 %d, %a, 0, 0x181f, -1;");
  for (u64 i = 0; i < 32; ++i) {
    CHECK(up[i] == (i >= 3 ? (i - 3) | u64{1} << 32 : i));
    CHECK(down[i] == (i + 5 < 32 ? (i + 5) | u64{1} << 32 : i));
    CHECK(idx[i] == i * 7 % 13);
    CHECK(eighths[i] == i / 8 * 8);
  }
}

TEST_CASE("votes, matches, reductions") {
  const auto run = [](const std::string& line) { return run_ptx(lines_kernel(line), numbers(32)); };
  CHECK(run("setp.lt.u32 %p, %a, 5; vote.sync.ballot.b32 %d, %p, -1;")[9] == 0x1f);
  CHECK(run("setp.lt.u32 %p, %a, 5; vote.sync.any.pred %q, %p, -1; selp.u32 %d, 1, 0, %q;")[9] ==
        1);
  CHECK(run("setp.lt.u32 %p, %a, 5; vote.sync.all.pred %q, %p, -1; selp.u32 %d, 1, 0, %q;")[0] ==
        0);
  CHECK(run("match.any.sync.b32 %d, %c, -1;")[4] == 0x38);
  CHECK(run("mov.u32 %b, 4; match.all.sync.b32 %d|%p, %b, -1;")[3] == 0xffffffff);
  CHECK(run("redux.sync.add.s32 %d, %a, -1;")[31] == 496);
  CHECK(run("redux.sync.max.u32 %d, %b, -1;")[0] == 12);
  CHECK(run("activemask.b32 %d;")[7] == 0xffffffff);
  CHECK(run("setp.gt.u32 %p, %a, 29; @%p activemask.b32 %d;")[31] == 0xc0000000);
}

TEST_CASE("a recursive function, called by some lanes only") {
  const std::string function = R"(
.func (.param .b32 result) fib(.param .b32 n)
{
  .reg .pred %p;
  .reg .b32 %r<8>;
  ld.param.u32 %r1, [n];
  setp.lt.u32 %p, %r1, 2;
  @%p bra BASE;
  { .param .b32 x; .param .b32 y;
    sub.u32 %r2, %r1, 1;
    st.param.b32 [x], %r2;
    call.uni (y), fib, (x);
    ld.param.b32 %r3, [y]; }
  { .param .b32 x; .param .b32 y;
    sub.u32 %r2, %r1, 2;
    st.param.b32 [x], %r2;
    call.uni (y), fib, (x);
    ld.param.b32 %r4, [y]; }
  add.u32 %r1, %r3, %r4;
BASE:
  st.param.b32 [result], %r1;
  ret;
}
)";
  const std::string kernel = R"(
  setp.gt.u32 %p, %b, 6;
  mov.u32 %d, 1000;
  @%p bra SKIP;
  { .param .b32 x; .param .b32 y;
    st.param.b32 [x], %b;
    call.uni (y), fib, (x);
    ld.param.b32 %d, [y]; }
SKIP:
)";
  const auto inputs = numbers(50);
  const auto got = run_ptx(with_function(function, kernel), inputs);
  const u64 fib[] = {0, 1, 1, 2, 3, 5, 8};
  for (size_t i = 0; i < inputs.size(); ++i) {
    CHECK(got[i] == (inputs[i].b > 6 ? 1000 : fib[inputs[i].b]));
  }
}

TEST_CASE("calls through pointers, each lane its own; wide parameters; local arrays of callees") {
  const std::string functions = R"(
.func (.param .b64 r) twice(.param .b64 v)
{
  .local .align 8 .b8 box[16];
  .reg .b64 %x<4>;
  ld.param.u64 %x1, [v];
  mov.u64 %x2, box;
  st.local.u64 [%x2+8], %x1;
  ld.local.u64 %x3, [%x2+8];
  add.u64 %x1, %x1, %x3;
  st.param.b64 [r], %x1;
  ret;
}
.func (.param .b64 r) square(.param .b64 v)
{
  .reg .b64 %x<4>;
  ld.param.u64 %x1, [v];
  mul.lo.u64 %x1, %x1, %x1;
  st.param.b64 [r], %x1;
  ret;
}
)";
  const std::string kernel = R"(
  .local .align 8 .b8 mine[8];
  mov.u64 %E, mine;
  st.local.u64 [%E], %A;
  mov.u64 %B, twice;
  mov.u64 %C, square;
  and.b32 %c, %a, 1;
  setp.eq.u32 %p, %c, 0;
  selp.b64 %B, %B, %C, %p;
  { .param .b64 x; .param .b64 y;
    st.param.b64 [x], %A;
    call (y), %B, (x), kind;
    ld.param.b64 %D, [y]; }
  ld.local.u64 %C, [%E];
  add.u64 %D, %D, %C;
)";
  std::string ptx = with_function(functions, kernel);
  const size_t body = ptx.find("  ld.param.u64 %in, [in];");
  ptx.insert(body, "  kind: .callprototype (.param .b64 _) _ (.param .b64 _);\n");
  const auto got = run_ptx(ptx, numbers(40));
  for (u64 i = 0; i < 40; ++i) CHECK(got[i] == (i % 2 == 0 ? 2 * i : i * i) + i);
}

TEST_CASE("branch tables") {
  const std::string lines = R"(
  and.b32 %e, %a, 3;
TABLE: .branchtargets L0, L1, L2, L1;
  brx.idx %e, TABLE;
L0: mov.u32 %d, 5; bra OUT;
L1: mov.u32 %d, 6; bra OUT;
L2: mov.u32 %d, 7;
OUT:
  mov.u32 %e, 0;
)";
  check_lines(lines, numbers(70), [](const Inputs& x) -> u64 {
    const u64 want[] = {5, 6, 7, 6};
    return want[x.a & 3];
  });
}

TEST_CASE("a spin lock between lanes of one warp makes progress") {
  // Each lane in turn takes the lock at the first word, adds to the second without an atomic.
  const std::string lines = R"(
  setp.eq.u32 %p, 0, 1;
SPIN:
  atom.global.cas.b32 %b, [%in], 0, 1;
  setp.ne.u32 %p, %b, 0;
  @%p bra SPIN;
  ld.volatile.global.u32 %c, [%in+8];
  add.u32 %c, %c, 1;
  st.volatile.global.u32 [%in+8], %c;
  membar.gl;
  atom.global.exch.b32 %b, [%in], 0;
  mov.u32 %d, %c;
)";
  std::vector<Inputs> inputs(64);
  const auto got = run_ptx(lines_kernel(lines), inputs);
  u64 sum = 0;
  for (u64 v : got) sum += v;
  CHECK(sum == 64 * 65 / 2);  // every lane saw another count
}

TEST_CASE("elect, exit of some lanes, predicated instructions") {
  CHECK(run_ptx(lines_kernel("elect.sync %d|%p, -1; selp.u32 %e, 1, 0, %p;"), numbers(32))[0] ==
        u64{1} << 32);
  const auto got =
      run_ptx(lines_kernel("setp.gt.u32 %p, %a, 9; @%p exit; mov.u32 %d, 3;"), numbers(40));
  for (u64 i = 0; i < 40; ++i) CHECK(got[i] == (i > 9 ? 0 : 3));
}

TEST_CASE("a clock counts instructions, and a loop that waits by it does not take as long") {
  const std::string lines = R"(
  mov.u64 %D, %clock64;
  add.u32 %e, %a, 1;
  add.u32 %e, %e, 1;
  add.u32 %e, %e, 1;
  mov.u64 %E, %clock64;
  sub.s64 %A, %E, %D;
WAIT:
  mov.u64 %C, %clock64;
  sub.s64 %B, %C, %E;
  setp.lt.s64 %p, %B, 1000000000;
  @%p bra WAIT;
  cvt.u32.u64 %d, %A;
  shr.u64 %B, %B, 20;
  cvt.u32.u64 %e, %B;
  mov.u64 %D, 0;)";
  LaunchCounters counters;
  const std::vector<u64> out = run_ptx(lines_kernel(lines), numbers(32), &counters);
  const u64 between = out[0] & 0xffffffff, waited = out[0] >> 32;
  CHECK(between >= 4 * 4);
  CHECK(between <= 4 * 8);
  CHECK(waited >= 1'000'000'000 >> 20);
  CHECK(waited <= 1'130'000'000 >> 20);
  CHECK(counters.warp_instructions < 10'000);
}
