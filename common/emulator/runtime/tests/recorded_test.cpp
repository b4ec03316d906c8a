// The emulated H200 against the recordings of a real one: every line must be the same.
#include <doctest/doctest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

std::vector<std::string> split(std::istream& in) {
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> recorded(const std::string& section) {
  std::ifstream in(std::string(RECORDED_DIR) + section + ".txt");
  REQUIRE_MESSAGE(in.good(), "no recording of ", section);
  return split(in);
}

// Runs `observe SECTION` on an emulated GPU; stderr is dropped, since complaints are expected.
std::vector<std::string> observed(const std::string& section, const std::string& gpu) {
  const std::string command =
      "TCD_GPU=" + gpu + " " + std::string(OBSERVE) + " " + section + " 2>/dev/null";
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string text;
  std::array<char, 4096> buffer;
  while (const size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    text.append(buffer.data(), got);
  }
  CHECK_MESSAGE(pclose(pipe) == 0, "observe ", section, " did not end well");
  std::istringstream in(text);
  return split(in);
}

int differences(const std::vector<std::string>& wanted, const std::vector<std::string>& got,
                bool report) {
  int count = wanted.size() == got.size() ? 0 : 1;
  for (size_t i = 0; i < std::max(wanted.size(), got.size()); ++i) {
    const std::string want = i < wanted.size() ? wanted[i] : "(nothing)";
    const std::string have = i < got.size() ? got[i] : "(nothing)";
    if (want == have) continue;
    ++count;
    if (report) MESSAGE("the card: ", want, "\n      emulated: ", have);
  }
  return count;
}

}  // namespace

TEST_CASE("every answer is the one a card gave") {
  for (const char* section : {"memory", "launches", "symbols", "streams", "attributes", "occupancy",
                              "fault-null", "fault-misaligned", "fault-trap", "fault-assert"}) {
    CAPTURE(section);
    const auto wanted = recorded(section);
    REQUIRE(wanted.size() > 10);
    CHECK(differences(wanted, observed(section, "h200"), true) == 0);
  }
}

TEST_CASE("control: another GPU answers otherwise, so the comparison can fail") {
  CHECK(differences(recorded("occupancy"), observed("occupancy", "rtx4090"), false) > 20);
  CHECK(differences(recorded("attributes"), observed("attributes", "t4"), false) > 5);
}
