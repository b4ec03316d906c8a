// Every mistake is noticed as mistake.h says, at its line; without the mistake the device is silent
// and the results are right; and the table on the page is what came out.
#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "checks/tests/mistakes/survey.h"

namespace {

std::string text_of(const Run& run) {
  std::string text = run.outcome.words;
  for (const std::string& report : run.reports) text += "\n" + report;
  return text;
}

}  // namespace

TEST_CASE("each mistake is named, with its line, and its correction is not") {
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
