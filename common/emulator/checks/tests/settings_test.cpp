// Which checks run, how they stop a kernel, and that threads change nothing.
#include "checks/tests/check_bench.h"

using namespace tcd::emu;

namespace {

// Line 1 reads what nobody wrote, line 3 races, line 5 reads a copy too early.
const Lines kAllWrong = {
    "ld.shared.u32 %r1, [%s+1024];", "st.shared.u32 [%s], %t;",
    "ld.shared.u32 %r1, [%o];",      "cp.async.ca.shared.global [%s+2048], [%g], 4;",
    "ld.shared.u32 %r1, [%s+2048];", "cp.async.wait_all;"};

Checked run_with(const char* text) {
  return run_checked(kAllWrong, {.threads = 64, .settings = parse_checks(text)});
}

}  // namespace

TEST_CASE("TCD_CHECKS is a mode and perhaps names") {
  CHECK(parse_checks("off").mode == CheckMode::kOff);
  CHECK(parse_checks("").mode == CheckMode::kReport);
  const CheckSettings s = parse_checks("stop,races");
  CHECK(s.mode == CheckMode::kStop);
  CHECK((s.races && !s.async && !s.uninitialised));
  CHECK((parse_checks("barriers").barriers && !parse_checks("barriers").races));
  const CheckSettings named = parse_checks("async,uninitialised");
  CHECK((named.mode == CheckMode::kReport && !named.races && named.async && named.uninitialised));
  for (const char* wrong : {"on", "race", "off,", ",", "report;races", "OFF"}) {
    INFO(wrong);
    if (std::string(wrong) == "off,") {
      CHECK_NOTHROW(parse_checks(wrong));
    } else {
      CHECK_THROWS_AS(parse_checks(wrong), std::invalid_argument);
    }
  }
}

TEST_CASE("Only the checks that were asked for speak") {
  CHECK(run_with("off").error.reports.empty());
  const Checked races = run_with("races"), async = run_with("async"),
                uninitialised = run_with("uninitialised"), all = run_with("report");
  CHECK(races.has(3, "race in shared memory"));
  CHECK(!races.has(5, "asynchronous copy"));
  CHECK(!races.has(1, "uninitialised"));
  CHECK(async.has(5, "asynchronous copy read too early"));
  CHECK(async.error.reports.size() == 1);
  CHECK(uninitialised.has(1, "uninitialised shared memory"));
  CHECK(!uninitialised.has(3, "race"));
  CHECK(all.has(1, "uninitialised shared memory"));
  CHECK(all.has(3, "race in shared memory"));
  CHECK(all.has(5, "asynchronous copy read too early"));
}

TEST_CASE("stop ends the kernel at the first mistake, with all that a report says") {
  const Checked r = run_with("stop,races");
  CHECK(r.error.fault == Fault::kCheck);
  CHECK(r.error.message.find("race in shared memory") == 0);
  CHECK(r.error.message.find("kernel.cu:3") != std::string::npos);
  CHECK(run_checked({"bar.sync 0;"}, {.settings = parse_checks("stop")}).error.fault ==
        Fault::kNone);
}

TEST_CASE("The number of host threads changes no report") {
  // CTA 5 and later race; CTA 3 and later read unwritten memory.
  const Lines lines = {
      "mov.u32 %r1, %ctaid.x;",  "setp.ge.u32 %p0, %r1, 3;", "@%p0 ld.shared.u32 %r2, [%s+1024];",
      "st.shared.u32 [%s], %t;", "setp.lt.u32 %p1, %r1, 5;", "@%p1 bar.sync 0;",
      "ld.shared.u32 %r2, [%o];"};
  const Checked one = run_checked(lines, {.threads = 64, .ctas = 40, .host_threads = 1});
  CHECK(one.error.reports.size() >= 2);
  CHECK(one.all().find("of CTA (3,0,0)") != std::string::npos);
  CHECK(one.all().find("of CTA (5,0,0)") != std::string::npos);
  for (int threads : {2, 4}) {
    const Checked many = run_checked(lines, {.threads = 64, .ctas = 40, .host_threads = threads});
    CHECK(many.all() == one.all());
  }
}
