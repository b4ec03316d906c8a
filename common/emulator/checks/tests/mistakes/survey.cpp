#include "checks/tests/mistakes/survey.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace {

constexpr const char* kSources = "common/emulator/checks/tests/mistakes";

std::string all_of(std::FILE* file) {
  std::string text(static_cast<size_t>(lseek(fileno(file), 0, SEEK_END)), '\0');
  const ssize_t got = pread(fileno(file), text.data(), text.size(), 0);
  text.resize(got < 0 ? 0 : static_cast<size_t>(got));
  return text;
}

// What stands between one "tcd: " at the start of a line and the next.
std::vector<std::string> reports_in(const std::string& text) {
  std::vector<std::string> reports;
  const std::string mark = "tcd: ";
  for (size_t at = text.starts_with(mark) ? 0 : text.find("\n" + mark); at != std::string::npos;) {
    const size_t from = text.find(mark, at) + mark.size();
    at = text.find("\n" + mark, from);
    std::string report = text.substr(from, at == std::string::npos ? at : at - from);
    if (report.starts_with("check: ")) report.erase(0, 7);
    if (report.starts_with("kernel ")) report.erase(0, report.find('\n') + 1);  // "… was stopped"
    reports.push_back(report);
  }
  return reports;
}

// "race in shared memory: read of …" → "race in shared memory".
std::string kind_of(const std::string& report) {
  if (report.starts_with("launch of ")) return "launch refused";
  return report.substr(0, std::min(report.find(':'), report.find('\n')));
}

}  // namespace

Run run_apart(const Mistake& mistake, bool wrong) {
  std::FILE* const said = std::tmpfile();
  std::FILE* const words = std::tmpfile();
  if (said == nullptr || words == nullptr) throw std::runtime_error("no temporary file");
  std::fflush(nullptr);  // else the child prints it too
  const pid_t child = fork();
  if (child == 0) {
    dup2(fileno(said), 2);
    const Outcome outcome = mistake.run(wrong);
    std::fputs(outcome.words.c_str(), words);
    std::fflush(nullptr);
    std::exit(outcome.right ? 0 : 1);  // what is said at the end belongs to it
  }
  int status = -1;
  waitpid(child, &status, 0);
  Run run;
  run.crashed = !WIFEXITED(status) || WEXITSTATUS(status) > 1;
  run.outcome = {status == 0, all_of(words)};
  run.reports = reports_in(all_of(said));
  std::fclose(said);
  std::fclose(words);
  return run;
}

std::string marked_place(const std::string& mark) {
  const std::string wanted = "// reported: " + mark;
  for (const auto& file : std::filesystem::directory_iterator(kSources)) {
    std::ifstream source(file.path());
    std::string line;
    for (int number = 1; std::getline(source, line); ++number) {
      if (line.ends_with(wanted)) {
        return file.path().filename().string() + ":" + std::to_string(number);
      }
    }
  }
  throw std::runtime_error("no line of " + std::string(kSources) + " ends with \"" + wanted + "\"");
}

int telling_report(const Mistake& mistake, const Run& run) {
  if (mistake.says.empty()) return -1;
  const std::string place = mistake.mark.empty() ? "" : "/" + marked_place(mistake.mark);
  for (size_t i = 0; i < run.reports.size(); ++i) {
    const std::string& report = run.reports[i];
    // The line to be blamed; a deadlock has one for each place where somebody waits.
    const size_t source = report.find("\n  source  ");
    const std::string blamed = source == std::string::npos
                                   ? report
                                   : report.substr(source, report.find('\n', source + 1) - source);
    if (report.starts_with(mistake.says) && report.find(mistake.also) != std::string::npos &&
        blamed.find(place) != std::string::npos) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

nlohmann::json row_of(const Mistake& mistake, const Run& run) {
  const int told = telling_report(mistake, run);
  nlohmann::json row = {{"name", mistake.name},
                        {"what", mistake.what},
                        {"caught_by", ""},
                        {"line", mistake.mark.empty() ? "" : marked_place(mistake.mark)},
                        {"right", run.outcome.right},
                        {"result", run.outcome.words}};
  if (told >= 0) {
    row["caught_by"] = kind_of(run.reports[static_cast<size_t>(told)]);
  } else if (mistake.says.empty() && !run.outcome.right) {
    row["caught_by"] = "result check";
  }
  return row;
}
