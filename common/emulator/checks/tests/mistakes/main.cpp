// mistakes: one mistake as a program, on a card or on the emulated device.
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>

#include "checks/tests/mistakes/mistake.h"
#include "checks/tests/mistakes/survey.h"
#include "harness/device_info.h"
#include "harness/output_file.h"
#include "harness/provenance.h"

namespace {

int list() {
  for (const Mistake& mistake : all_mistakes()) {
    std::printf("%-28s %s\n", mistake.name.c_str(), mistake.what.c_str());
  }
  return 0;
}

int run_one(const std::string& name, bool wrong) {
  for (const Mistake& mistake : all_mistakes()) {
    if (mistake.name != name) continue;
    const Outcome outcome = mistake.run(wrong);
    std::printf("%s: %s\n", outcome.right ? "passed" : "FAILED", outcome.words.c_str());
    return outcome.right ? 0 : 1;
  }
  std::fprintf(stderr, "mistakes: \"%s\" is none of them; `mistakes --list` shows all %zu\n",
               name.c_str(), all_mistakes().size());
  return 2;
}

// One line a mistake.
std::string text_of(const nlohmann::json& provenance, const std::vector<nlohmann::json>& rows) {
  std::string text = "{\n \"schema\": \"tcd-mistakes/1\",\n \"provenance\": " + provenance.dump();
  text += ",\n \"mistakes\": [";
  for (const nlohmann::json& row : rows) {
    text += (&row == &rows.front() ? "\n  " : ",\n  ") + row.dump();
  }
  return text + "\n ]\n}\n";
}

int survey(const std::string& path, const std::string& command) {
  if (!tcd::harness::is_emulated_runtime()) {
    std::fprintf(stderr,
                 "mistakes: --survey asks the emulated device, and this is a card: "
                 "tests/card/run_on_card.py runs the list there\n");
    return 2;
  }
  tcd::harness::OutputFile file("--survey", path);
  std::vector<nlohmann::json> rows;
  for (const Mistake& mistake : all_mistakes()) {
    rows.push_back(row_of(mistake, run_apart(mistake, true)));
    const nlohmann::json& row = rows.back();
    std::printf("%-28s %-50s %s\n", mistake.name.c_str(),
                row["caught_by"].get<std::string>().c_str(),
                row["line"].get<std::string>().c_str());
  }
  file.write(text_of(tcd::harness::provenance(tcd::harness::query_device(), command), rows));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string first = argc > 1 ? argv[1] : "", second = argc > 2 ? argv[2] : "";
  try {
    if (argc == 2 && first == "--list") return list();
    if (argc == 3 && first == "--survey") {
      return survey(second, tcd::harness::command_line(2, argv));
    }
    const bool one = !first.empty() && !first.starts_with("--");
    if (one && (argc == 2 || (argc == 3 && second == "--right"))) {
      return run_one(first, second.empty());
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mistakes: %s\n", error.what());
    return 2;
  }
  std::fprintf(
      stderr,
      "usage: mistakes --list            all names, each with what is wrong\n"
      "       mistakes NAME [--right]    runs it, or the program without the mistake: exit\n"
      "                                  code 1 when the results are wrong\n"
      "       mistakes --survey FILE     runs all on the emulated device: who notices\n");
  return 2;
}
