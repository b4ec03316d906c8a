// PTX as nvcc wrote it, whole and broken.
#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "ptx/control_flow.h"
#include "ptx/parser.h"
#include "ptx/tests/corpus_files.h"

using namespace tcd::emu::ptx;

namespace {

const std::vector<CorpusFile>& corpus() {
  static const std::vector<CorpusFile> files = read_corpus();
  return files;
}

const std::string& text_of(std::string_view name) {
  for (const CorpusFile& file : corpus()) {
    if (file.name == name) return file.text;
  }
  throw std::runtime_error("corpus lacks " + std::string(name));
}

const Function& function_named(const Module& module, std::string_view part) {
  for (const Function& function : module.functions) {
    if (function.name.find(part) != std::string::npos && !function.is_declaration) return function;
  }
  throw std::runtime_error("no function " + std::string(part));
}

// Occurrences in the text, counted without the parser.
int count_in_text(const std::string& text, const std::string& what) {
  int count = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
    const char before = at == 0 ? ' ' : text[at - 1];
    count += before == ' ' || before == '\t' || before == '\n' || before == '{';
  }
  return count;
}

int count_parsed(const Module& module, const std::string& opcode, const std::string& modifier) {
  int count = 0;
  for (const Function& function : module.functions) {
    for (const Instruction& i : function.body) {
      count += i.opcode == opcode &&
               (modifier.empty() || (!i.modifiers.empty() && i.modifiers[0] == modifier));
    }
  }
  return count;
}

// True when it parsed. Anything but a Module or a ParseError ends the test program.
bool survives(std::string_view text) {
  try {
    const Module module = parse(text);
    for (const Function& function : module.functions) {
      size_t instructions = 0;
      for (const Step& step : schedule_for_reconvergence(function).steps) {
        instructions += step.instruction >= 0;
      }
      REQUIRE(instructions == function.body.size());
    }
    return true;
  } catch (const ParseError& error) {
    REQUIRE(error.line() >= 1);
    return false;
  }
}

}  // namespace

TEST_CASE("every file parses, with as many instructions as a plain text search finds") {
  struct Search {
    const char *opcode, *modifier;
  };
  constexpr Search kSearches[] = {{"mma", "sync"},  {"ldmatrix", "sync"}, {"cp", "async"},
                                  {"wmma", "mma"},  {"shfl", "sync"},     {"bar", "sync"},
                                  {"ld", "global"}, {"st", "shared"},     {"call", "uni"},
                                  {"vote", "sync"}, {"atom", "global"},   {"setp", "ne"},
                                  {"add", "s32"},   {"mov", "u32"},       {"mbarrier", "init"}};
  int found = 0;
  for (const CorpusFile& file : corpus()) {
    INFO(file.name);
    const Module module = parse(file.text);
    for (const Search& search : kSearches) {
      const std::string text = std::string(search.opcode) + "." + search.modifier;
      INFO(text);
      const int in_text =
          count_in_text(file.text, text + ".") + count_in_text(file.text, text + " ");
      CHECK(count_parsed(module, search.opcode, search.modifier) == in_text);
      found += in_text;
    }
  }
  CHECK(found > 300);  // the control: the searches do find something
}

TEST_CASE("inline assembly of the tensor kernels") {
  const Module module = parse(text_of("tensor_ops.sm_80.ptx"));
  const Function& f = function_named(module, "pipeline");
  CHECK(f.is_entry);
  CHECK(f.max_threads == 128);
  CHECK(f.min_ctas == 2);
  CHECK(f.params.size() == 4);
  REQUIRE(f.variables.size() == 1);
  CHECK(f.variables[0].size == 16 * 40 * 2);
  CHECK(module.variables.at(0).name == "memory");
  int mmas = 0, outermost_right = 0;
  for (const Instruction& i : f.body) {
    if (i.opcode != "mma") continue;
    ++mmas;
    CHECK(i.operands.size() == 4);
    // %t0…%t3 belong to the block of this one asm statement.
    CHECK(f.registers[size_t(i.operands[0].elements[0].reg)].name == "%t0");
    CHECK(module.files.at(size_t(i.location.file)) == "corpus/tensor_ops.cu");
    REQUIRE(i.location.inlined_at.size() == 1);
    outermost_right += i.location.inlined_at.back().line == 54;
  }
  CHECK(mmas == 5);
  CHECK(outermost_right == mmas);
}

TEST_CASE("nested inlining leads to the kernel's own lines") {
  const Module module = parse(text_of("control_flow.sm_80.ptx"));
  const Function& f = function_named(module, "inlined");
  std::vector<int> outermost;
  for (const Instruction& i : f.body) {
    if (i.location.line != 11) continue;  // in leaf()
    REQUIRE(i.location.inlined_at.size() == 2);
    const int line = i.location.inlined_at[1].line;
    if (outermost.empty() || outermost.back() != line) outermost.push_back(line);
  }
  CHECK(outermost == std::vector<int>{20, 21, 22});
}

TEST_CASE("language features") {
  const Module module = parse(text_of("language.sm_80.ptx"));
  const auto variable = [&](std::string_view name) -> const Variable& {
    for (const Variable& v : module.variables) {
      if (v.name == name) return v;
    }
    throw std::runtime_error("no variable " + std::string(name));
  };
  CHECK(variable("kWeights").space == Space::kConst);
  CHECK(variable("kWeights").size == 24);
  CHECK(variable("managed_value").is_managed);
  CHECK(variable("operations").relocations.size() == 2);
  CHECK(variable("pointer_to_counter").relocations.at(0).addend == 12);
  CHECK(variable("pointer_to_counter").relocations.at(0).generic);
  CHECK(function_named(module, "talk").params.at(1).size == 24);
  CHECK(function_named(module, "fibonacci").returns.size() == 1);
  int declarations = 0;
  for (const Function& f : module.functions) declarations += f.is_declaration;
  CHECK(declarations == 2);  // vprintf, __assertfail; twice() and thrice() got their bodies
}

TEST_CASE("loops with several ways back get one landing") {
  const Module module = parse(text_of("control_flow.sm_80.ptx"));
  const Schedule schedule = schedule_for_reconvergence(function_named(module, "many_ways_back"));
  int landings = 0;
  for (int s = 0; s < int(schedule.steps.size()); ++s) {
    landings += schedule.steps[size_t(s)].instruction < 0 && schedule.steps[size_t(s)].target < s;
  }
  CHECK(landings == 1);
}

TEST_CASE("text cut off anywhere") {
  int parsed = 0, refused = 0;
  for (const CorpusFile& file : corpus()) {
    for (size_t length = 0; length < file.text.size(); length += 97) {
      ++(survives(std::string_view(file.text).substr(0, length)) ? parsed : refused);
    }
  }
  CHECK(parsed + refused > 1000);
  CHECK(refused > parsed);
}

TEST_CASE("text with bytes changed, removed, repeated") {
  std::mt19937_64 random(20240229);
  int parsed = 0, refused = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string text = corpus()[random() % corpus().size()].text;
    for (uint64_t edits = 1 + random() % 4; edits > 0; --edits) {
      const size_t at = random() % text.size();
      const size_t length = std::min<size_t>(1 + random() % 40, text.size() - at);
      constexpr std::string_view kCharacters = ";{}[]()<>,.:@!|+-\"/%$_0x9fU\n\\";
      switch (random() % 5) {
        case 0:
          text[at] = char(random());
          break;
        case 1:
          text[at] = kCharacters[random() % kCharacters.size()];
          break;
        case 2:
          text.erase(at, length);
          break;
        case 3:
          text.insert(random() % text.size(), text.substr(at, length));
          break;
        default:
          text.insert(at, 1, kCharacters[random() % kCharacters.size()]);
      }
    }
    ++(survives(text) ? parsed : refused);
  }
  CHECK(parsed > 50);    // some edits fall into comments and names
  CHECK(refused > 500);  // and most do not
}
