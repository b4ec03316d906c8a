// 1033 forms of instructions, each on 1024 inputs, give the bits an H200 gave.
#include <cstdlib>
#include <fstream>

#include "machine/tests/one_instruction.h"
#include "machine/tests/recorded/instructions.h"

using namespace tcd::emu;

namespace {

struct Line {
  char set;
  uint64_t hash;
  std::string ptx;
};

std::vector<Line> read_lines() {
  std::ifstream file("common/emulator/machine/tests/recorded/h200_instructions.txt");
  std::vector<Line> lines;
  std::string text;
  while (std::getline(file, text)) {
    if (text.empty() || text[0] == '#') continue;
    lines.push_back(
        {text[0], std::strtoull(text.c_str() + 2, nullptr, 16), text.substr(text.rfind('\t') + 1)});
  }
  return lines;
}

uint64_t run_line(Bench& bench, int number, char set, uint64_t out) {
  const uint64_t in = bench.upload(recorded::inputs_of(set));
  const std::string name = "k" + std::to_string(number);
  const LaunchError e =
      bench.launch(name.c_str(), {1}, {recorded::kLanes}, Params().add(in).add(out));
  REQUIRE_MESSAGE(e.fault == Fault::kNone, e.message);
  bench.device.memory().release(in);
  return recorded::hash_of(bench.download<uint64_t>(out, recorded::kLanes).data());
}

}  // namespace

TEST_CASE("instructions give the bits an H200 gave") {
  const std::vector<Line> lines = read_lines();
  REQUIRE(lines.size() == 1033);
  std::string module = recorded::kModuleHead;
  for (size_t i = 0; i < lines.size(); ++i) {
    module += recorded::kernel_of(static_cast<int>(i), lines[i].ptx);
  }
  for (Isa isa : isas()) {
    setenv("TCD_ISA", name_of(isa), 1);
    Bench bench(module, 1, "h200");
    const uint64_t out = bench.upload(std::vector<uint64_t>(recorded::kLanes));
    for (size_t i = 0; i < lines.size(); ++i) {
      const uint64_t got = run_line(bench, static_cast<int>(i), lines[i].set, out);
      CHECK_MESSAGE(got == lines[i].hash, lines[i].ptx, " on ", std::string(name_of(isa)));
    }
    unsetenv("TCD_ISA");
  }
}

TEST_CASE("another rounding is another hash") {  // the control
  const std::string module = std::string(recorded::kModuleHead) +
                             recorded::kernel_of(0, "add.rn.f32 %d,%a,%b;") +
                             recorded::kernel_of(1, "add.rz.f32 %d,%a,%b;");
  Bench bench(module, 1, "h200");
  const uint64_t out = bench.upload(std::vector<uint64_t>(recorded::kLanes));
  CHECK(run_line(bench, 0, 'F', out) != run_line(bench, 1, 'F', out));
}
