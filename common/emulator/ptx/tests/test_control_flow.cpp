// The order of blocks, on small graphs by hand and on random ones against a reference.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "ptx/control_flow.h"
#include "ptx/tests/flow_simulator.h"
#include "ptx/tests/flow_text.h"
#include "ptx/tests/random_flow.h"

using namespace tcd::emu::ptx;

namespace {

using Order = std::vector<int>;

// The instructions of a schedule, without the added jumps.
Order order_of(const Schedule& schedule) {
  Order order;
  for (const Step& step : schedule.steps) {
    if (step.instruction >= 0) order.push_back(step.instruction);
  }
  return order;
}

Order order_of(const Function& f) { return order_of(schedule_for_reconvergence(f)); }
Order order_of(std::string_view body) { return order_of(parse_kernel(body)); }

int landings(const Schedule& schedule) {  // added jumps that lead backwards
  int count = 0;
  for (int s = 0; s < int(schedule.steps.size()); ++s) {
    const Step& step = schedule.steps[size_t(s)];
    count += step.instruction < 0 && step.target < s;
  }
  return count;
}

bool is_permutation_of_body(const Function& function, const Schedule& schedule) {
  Order order = order_of(schedule);
  std::sort(order.begin(), order.end());
  for (int i = 0; i < int(order.size()); ++i) {
    if (order[size_t(i)] != i) return false;
  }
  return order.size() == function.body.size();
}

}  // namespace

TEST_CASE("straight code and if/else stay as written") {
  CHECK(order_of("mov.u32 %r1, 1; mov.u32 %r2, 2; ret;") == Order{0, 1, 2});
  CHECK(order_of("@%p1 bra E; mov.u32 %r1, 1; bra J; E: mov.u32 %r1, 2; J: ret;") ==
        Order{0, 1, 2, 3, 4});
  CHECK(order_of("").empty());
  CHECK(parse_kernel("bra L; L:").body[0].operands[0].target == 1);
  CHECK(schedule_for_reconvergence(parse_kernel("bra L; L:")).steps.at(0).target == 1);
}

TEST_CASE("a join in the middle of the text moves behind both sides") {
  const Function f = parse_kernel("@%p1 bra E; mov.u32 %r1, 1; J: ret; E: mov.u32 %r1, 2; bra J;");
  CHECK(order_of(f) == Order{0, 1, 3, 4, 2});
  const Schedule s = schedule_for_reconvergence(f);
  REQUIRE(s.steps.size() == 6);  // the fall-through 1 → 2 became a jump
  CHECK(s.steps[2].instruction == -1);
  CHECK(s.steps[2].target == 5);
  CHECK(s.steps[0].target == 3);
  CHECK(s.steps[4].target == 5);
}

TEST_CASE("nested loops with breaks: exits come after the whole loop") {
  const Function f = parse_kernel(
      "mov.u32 %r1, 0;\n"                          // 0
      "X: @%p1 bra OUT;\n"                         // 1 outer header, break
      "Y: @%p2 bra DONE_INNER;\n"                  // 2 inner header
      "@%p3 bra FOUND;\n"                          // 3 leaves both loops
      "bra Y;\n"                                   // 4
      "FOUND: mov.u32 %r1, 7; bra OUT;\n"          // 5 6 outside both, in the middle
      "DONE_INNER: add.s32 %r1, %r1, 1; bra X;\n"  // 7 8
      "OUT: ret;");                                // 9
  CHECK(order_of(f) == Order{0, 1, 2, 3, 4, 7, 8, 5, 6, 9});
}

TEST_CASE("continue: everyone lands at the end of the loop") {
  const Function f = parse_kernel(
      "X: @%p1 bra X;\n"       // 0 first way back
      "@%p2 bra Y; bra X;\n"   // 1 2 second
      "Y: @%p3 bra X; ret;");  // 3 4 third
  const Schedule s = schedule_for_reconvergence(f);
  CHECK(landings(s) == 1);
  const auto landing = std::find_if(s.steps.begin(), s.steps.end(), [](const Step& step) {
    return step.instruction < 0 && step.target == 0;
  });
  REQUIRE(landing != s.steps.end());
  for (const Step& step : s.steps) {
    if (step.instruction == 0 || step.instruction == 2 || step.instruction == 3) {
      CHECK(step.target == int(landing - s.steps.begin()));
    }
  }
  // One way back needs no landing.
  CHECK(landings(schedule_for_reconvergence(parse_kernel("X: add.s32 %r1, %r1, 1;\n"
                                                         "@%p1 bra X; ret;"))) == 0);
}

TEST_CASE("switch: cases first, then where they meet") {
  const Function f = parse_kernel(
      "T: .branchtargets A, B, C, J;\n brx.idx %r1, T;\n"
      "J: ret;\n A: mov.u32 %r1, 1; bra J;\n B: mov.u32 %r1, 2;\n C: mov.u32 %r1, 3; bra J;");
  const Order order = order_of(f);
  CHECK(order.back() == 1);
  CHECK(std::find(order.begin(), order.end(), 4) < std::find(order.begin(), order.end(), 5));
  const Schedule s = schedule_for_reconvergence(f);
  REQUIRE(s.tables.size() == 1);
  CHECK(s.tables[0].size() == 4);
  CHECK(s.steps[size_t(s.tables[0][0])].instruction == 2);
  CHECK(s.steps[size_t(s.tables[0][3])].instruction == 1);
}

TEST_CASE("unreachable code goes last, calls end no block") {
  CHECK(order_of("bra J; mov.u32 %r1, 1; bra J; J: ret;") == Order{0, 3, 1, 2});
  const Function f = parse(
                         ".version 9.0 .target sm_80 .address_size 64 .func g();\n"
                         ".entry k() { call g; call g; ret; }")
                         .functions.at(1);
  CHECK(build_flow_graph(f).blocks.size() == 1);
}

TEST_CASE("a loop with two entries is accepted") {
  const Function f = parse_kernel(
      "@%p1 bra B; A: add.s32 %r1, %r1, 1; @%p2 bra OUT; B: add.s32 %r1, %r1, 2; bra A; OUT: ret;");
  const Schedule s = schedule_for_reconvergence(f);
  CHECK(is_permutation_of_body(f, s));
  CHECK(s.steps.back().instruction == 5);
  for (uint64_t seed = 0; seed < 50; ++seed) {
    CHECK(run_schedule(f, s, seed).traces == run_lanes_alone(f, seed).traces);
  }
}

TEST_CASE("random if/while/switch programs run exactly as by the post-dominator stack") {
  long as_scheduled = 0, as_stack = 0, as_written = 0, instructions = 0;
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    const Function f = parse_kernel(random_structured_body(seed, {}));
    const Schedule s = schedule_for_reconvergence(f);
    REQUIRE(is_permutation_of_body(f, s));
    const FlowRun scheduled = run_schedule(f, s, seed);
    const FlowRun stack = run_post_dominator_stack(f, seed);
    INFO("seed " << seed);
    REQUIRE(scheduled.traces == run_lanes_alone(f, seed).traces);
    REQUIRE(scheduled.traces == stack.traces);
    as_scheduled += scheduled.total();
    as_stack += stack.total();
    as_written += run_schedule(f, schedule_as_written(f), seed).total();
    instructions += long(f.body.size());
    // A case that falls into the next meets it there, before the post-dominator.
    for (size_t i = 0; i < f.body.size(); ++i) {
      REQUIRE(scheduled.executions[i] <= stack.executions[i]);
    }
    if (f.branch_tables.empty()) REQUIRE(scheduled.executions == stack.executions);
  }
  MESSAGE(instructions << " instructions; runs: scheduled " << as_scheduled << ", stack "
                       << as_stack << ", as written " << as_written);
  CHECK(as_scheduled <= as_stack);
  CHECK(as_written > as_stack + as_stack / 20);  // the control: the shuffled text does not do
}

TEST_CASE("with break, continue and exit lanes meet no later than by the stack") {
  long as_scheduled = 0, as_stack = 0;
  int worse_without_landings = 0;
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    const Function f = parse_kernel(random_structured_body(seed, {true}));
    Schedule s = schedule_for_reconvergence(f);
    REQUIRE(is_permutation_of_body(f, s));
    const FlowRun scheduled = run_schedule(f, s, seed);
    const FlowRun stack = run_post_dominator_stack(f, seed);
    INFO("seed " << seed);
    REQUIRE(scheduled.traces == run_lanes_alone(f, seed).traces);
    CHECK(scheduled.total() <= stack.total());
    as_scheduled += scheduled.total();
    as_stack += stack.total();
    // The control: lanes that go straight back to the header run ahead of the others.
    for (size_t i = 0; i < s.steps.size(); ++i) {
      Step& step = s.steps[i];
      if (step.target < 0 ||
          (step.instruction >= 0 && f.body[size_t(step.instruction)].opcode == "brx")) {
        continue;
      }
      while (step.target < int(s.steps.size()) && s.steps[size_t(step.target)].instruction < 0) {
        step.target = s.steps[size_t(step.target)].target;
      }
    }
    worse_without_landings += run_schedule(f, s, seed).total() > stack.total();
  }
  MESSAGE("runs: scheduled " << as_scheduled << ", stack " << as_stack
                             << "; programs that run worse than the stack without landings: "
                             << worse_without_landings);
  CHECK(worse_without_landings > 0);
}

TEST_CASE("tangled graphs run correctly") {
  for (uint64_t seed = 1; seed <= 2000; ++seed) {
    const Function f = parse_kernel(random_tangled_body(seed));
    const Schedule s = schedule_for_reconvergence(f);
    INFO("seed " << seed);
    REQUIRE(is_permutation_of_body(f, s));
    REQUIRE(run_schedule(f, s, seed).traces == run_lanes_alone(f, seed).traces);
  }
}
