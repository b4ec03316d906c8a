#include "bench/combinations.h"

#include <CLI/CLI.hpp>

namespace day::bench {

namespace {

struct Rule {
  const char* mode;
  std::vector<const char*> ignored;
  const char* why;
};

const std::vector<Rule>& rules() {
  constexpr const char* kUnbroken =
      "it breaks nothing on purpose, and would pass; --control is for a single configuration";
  static const std::vector<Rule> all = {
      {"--sweep", {"--gsweep"}, "one sweep at a time"},
      {"--gsweep", {"--group", "--groups"}, "it takes groups from 1 to 32"},
      {"--gsweep", {"--resume"}, "it is one batch: --resume is for --sweep"},
      {"--groups", {"--group"}, "list that one, too"},
      {"--sweep",
       {"--tile", "--layout", "--stages"},
       "it takes every tile, layout and number of stages"},
      {"--sweep", {"--no-minimum"}, "that exists for two tiles, and it takes all five"},
      {"--sweep", {"--control"}, kUnbroken},
      {"--gsweep", {"--control"}, kUnbroken},
      {"--sweep", {"--check", "--cpu", "--unfused"}, "that is for a single configuration"},
      {"--gsweep", {"--check", "--cpu", "--unfused"}, "that is for a single configuration"},
  };
  return all;
}

constexpr const char* kOfTheDayOnly[] = {"--variant", "--all", "--gate-only"};

[[noreturn]] void refuse(const std::string& one, const std::string& other, const std::string& why) {
  throw CLI::ValidationError(one + " not together with " + other + ": " + why);
}

}  // namespace

void add_options_of_the_day_only(CLI::App& app) {
  app.add_option("--variant")->group("");  // not in --help
  app.add_flag("--all")->group("");
  app.add_flag("--gate-only")->group("");
}

void refuse_ignored(const CLI::App& app, const std::vector<std::string>& given) {
  for (const char* name : {"--groups", "--resume"}) {
    if (app.count(name) == 0 || app.count("--sweep") > 0 || app.count("--gsweep") > 0) continue;
    throw CLI::ValidationError(std::string(name) + " is for --sweep");
  }
  if (app.count("--resume") > 0 && app.count("--csv") == 0) {
    throw CLI::ValidationError("--resume needs --csv, the file to go on with");
  }
  for (const char* name : kOfTheDayOnly) {
    if (app.count(name) == 0) continue;
    refuse(name, given.front(), "that runs the bench, which has no " + std::string(name));
  }
  for (const Rule& rule : rules()) {
    if (app.count(rule.mode) == 0) continue;
    for (const char* name : rule.ignored) {
      if (app.count(name) > 0) refuse(rule.mode, name, rule.why);
    }
  }
}

}  // namespace day::bench
