// Every mistake is noticed as mistake.h says, at its line; without the mistake the device is silent
// and the results are right; and the table on the page is what came out.
#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>

#include "checks/tests/mistakes/survey.h"

namespace {

std::string text_of(const Run& run) {
  std::string text = run.outcome.words;
  for (const std::string& report : run.reports) text += "\n" + report;
  return text;
}

// Where the device's memory lies is the host's choice.
std::string without_addresses(const std::string& text) {
  return std::regex_replace(text, std::regex("0x[0-9a-f]+"), "0x…");
}

}  // namespace

TEST_CASE("races between CTAs are reported alike on one thread and on several") {
  int compared = 0;
  for (const Mistake& mistake : all_mistakes()) {
    if (!mistake.says.starts_with("race in global memory")) continue;
    if (mistake.name == "last_cta_without_fence") continue;  // whichever CTA comes last says it
    std::set<std::string> said;
    for (const char* threads : {"1", "2", "7"}) {
      setenv("TCD_THREADS", threads, 1);
      std::string reports;
      for (const std::string& report : run_apart(mistake, true).reports) reports += report + "\n";
      said.insert(without_addresses(reports));
    }
    unsetenv("TCD_THREADS");
    INFO(mistake.name, ": ", *said.begin());
    CHECK(said.size() == 1);
    ++compared;
  }
  CHECK(compared >= 5);
}

TEST_CASE("checks that are off say nothing, and what is refused is still refused") {
  for (const Mistake& mistake : all_mistakes()) {
    const bool refused = mistake.name == "error_not_looked_at";
    if (!refused && mistake.name != "split_k_without_atomic" &&
        mistake.name != "mask_leaves_out_a_lane") {
      continue;
    }
    setenv("TCD_CHECKS", "off", 1);
    const Run run = run_apart(mistake, true);
    unsetenv("TCD_CHECKS");
    INFO(mistake.name, ": ", text_of(run));
    CHECK(run.reports.size() == (refused ? 1 : 0));
    CHECK(run.outcome.right != refused);
  }
}

TEST_CASE("each mistake is named, with its line, and its correction is not") {
  setenv("TCD_THREADS", "1", 1);  // the table's: else results of racing CTAs depend on the host
  parse_kernels();  // 178 processes need not. It fixes the settings, so this test is the last
  std::ifstream file("common/emulator/checks/tests/recorded/emulated.json");
  const nlohmann::json page = nlohmann::json::parse(file);
  const std::vector<Mistake> all = all_mistakes();
  CHECK(all.size() >= 70);
  CHECK(page["mistakes"].size() == all.size());
  std::set<std::string> names, twins;
  for (size_t i = 0; i < all.size(); ++i) {
    const Mistake& mistake = all[i];
    CHECK_MESSAGE(names.insert(mistake.name).second, mistake.name, " stands there twice");
    if (mistake.twin.empty() || twins.insert(mistake.twin).second) {
      const Run right = run_apart(mistake, false);
      INFO(mistake.name, " corrected: ", text_of(right));
      CHECK(right.outcome.right);
      CHECK(right.reports.empty());
    }
    const Run wrong = run_apart(mistake, true);
    INFO(mistake.name, ": ", text_of(wrong));
    CHECK_FALSE(wrong.crashed);
    if (mistake.says.empty()) {
      CHECK(wrong.reports.empty());
      CHECK_FALSE(wrong.outcome.right);
      CHECK(wrong.outcome.words.find(mistake.also) != std::string::npos);
    } else {
      CHECK_MESSAGE(telling_report(mistake, wrong) >= 0, "expected at ", mistake.mark, ": ",
                    mistake.says, " … ", mistake.also);
    }
    CHECK_MESSAGE(i < page["mistakes"].size(), "emulated.json is old");
    if (i >= page["mistakes"].size()) continue;
    CHECK_MESSAGE(page["mistakes"][i] == row_of(mistake, wrong),
                  "emulated.json is old: run `TCD_THREADS=1 build/emulated/mistakes --survey "
                  "common/emulator/checks/tests/recorded/emulated.json`, then `./day pages`");
  }
}
