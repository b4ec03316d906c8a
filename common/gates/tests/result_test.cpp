#include "gates/result.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "gates/result_json.h"

using namespace tcd;

TEST_CASE("counts are readable") {
  CHECK(with_separators(0) == "0");
  CHECK(with_separators(999) == "999");
  CHECK(with_separators(1000) == "1,000");
  CHECK(with_separators(4194304) == "4,194,304");
  CHECK(with_separators(-12345678) == "-12,345,678");
}

TEST_CASE("a gate that compared nothing has failed") {
  const GateResult empty = GateResult::pass("d", 0);
  CHECK_FALSE(empty.passed());
  CHECK(empty.text().find("FAILED") != std::string::npos);
  CHECK(empty.text().find("nothing was compared") != std::string::npos);
  CHECK(GateResult::pass("d", 4194304).text() ==
        "gate d: passed (4,194,304 elements, bit for bit)");
}

TEST_CASE("exit codes: all passed, one failed, nothing ran, only skipped") {
  std::ostringstream out;
  Report report;
  CHECK(report.exit_code() == 1);
  CHECK_FALSE(report.all_passed());
  report.skip("k16 probe", "needs sm_80, this is sm_75", &out);
  CHECK(report.exit_code() == 0);
  CHECK_FALSE(report.all_passed());  // skipped is not passed
  CHECK(report.add(GateResult::pass("a", 3), &out));
  CHECK(report.exit_code() == 0);
  CHECK(report.all_passed());
  CHECK_FALSE(report.add(GateResult::fail("b", 5, {"5 of 5 differ", "look at: the store"}), &out));
  CHECK(report.exit_code() == 1);
  CHECK(out.str() ==
        "k16 probe: not run: needs sm_80, this is sm_75\n"
        "gate a: passed (3 elements, bit for bit)\n"
        "gate b: FAILED\n  5 of 5 differ\n  look at: the store\n");
}

TEST_CASE("the JSON says the same") {
  Report report;
  report.add(GateResult::pass("a", 3));
  report.add(GateResult::fail("b", 5, {"5 of 5 differ"}));
  report.skip("c", "no card");
  const nlohmann::json json = to_json(report);
  CHECK(json["passed"] == false);
  CHECK(json["gates"][0]["passed"] == true);
  CHECK(json["gates"][0]["checked"] == 3);
  CHECK(json["gates"][1]["lines"][0] == "5 of 5 differ");
  CHECK(json["not_run"][0]["reason"] == "no card");
}
