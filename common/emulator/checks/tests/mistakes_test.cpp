// Every mistake of mistakes.cu is reported at its line, in its words and in nothing else's; without
// the mistake the device is silent.
#include "checks/tests/mistakes.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>

namespace {

// The line that a comment "// reported: NAME" marks.
int marked_line(const std::string& name) {
  std::ifstream source("common/emulator/checks/tests/mistakes.cu");
  const std::string mark = "// reported: " + name;
  std::string line;
  for (int number = 1; std::getline(source, line); ++number) {
    if (line.ends_with(mark)) return number;
  }
  FAIL("no line ends with \"", mark, "\"");
  return 0;
}

std::string all_of(std::FILE* file) {
  std::string text(static_cast<size_t>(lseek(fileno(file), 0, SEEK_END)), '\0');
  const ssize_t got = pread(fileno(file), text.data(), text.size(), 0);
  CHECK(got == static_cast<ssize_t>(text.size()));
  return text;
}

// In a process of its own: one process says of a source line only once what is wrong with it.
std::string said_by(const Mistake& mistake, bool wrong) {
  std::FILE* const file = std::tmpfile();
  REQUIRE(file != nullptr);
  std::fflush(stdout);  // else the child prints it too
  const pid_t child = fork();
  if (child == 0) {
    dup2(fileno(file), 2);
    mistake.launch(wrong);
    _exit(static_cast<int>(cudaDeviceSynchronize()));
  }
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child);
  const std::string text = all_of(file);
  std::fclose(file);
  CHECK_MESSAGE(status == 0, mistake.name, " ended with ", status, ": ", text);
  return text;
}

}  // namespace

TEST_CASE("each mistake is named, with its line, and its correction is not") {
  CHECK(mistakes().size() >= 20);
  for (const Mistake& mistake : mistakes()) {
    const std::string right = said_by(mistake, false);
    CHECK_MESSAGE(right == "", mistake.name, " corrected: ", right);
    const std::string wrong = said_by(mistake, true);
    INFO(mistake.name, " says: ", wrong);
    const std::string place = "mistakes.cu:" + std::to_string(marked_line(mistake.name));
    bool found = false;
    for (size_t at = 0; (at = wrong.find("tcd: check: ", at)) != std::string::npos; ++at) {
      const std::string report = wrong.substr(at + 12, wrong.find("tcd: ", at + 12) - at - 12);
      const size_t source = report.find("\n  source  ");
      const size_t end = report.find('\n', source + 1);
      found = found ||
              (report.starts_with(mistake.says) && report.find(mistake.also) != std::string::npos &&
               report.substr(source, end - source).find(place) != std::string::npos);
    }
    CHECK_MESSAGE(found, "expected at ", place, ": ", mistake.says, " … ", mistake.also);
  }
}
