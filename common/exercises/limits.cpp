#include "exercises/limits.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <set>
#include <sstream>

#include "counters/counter_table.h"

namespace tcd::exercises {
namespace {

using emu::ptx::Instruction;
using emu::ptx::Operand;

// "cp.async.wait_group 2", taken apart.
struct Pattern {
  std::string opcode;
  std::vector<std::string> modifiers;
  std::optional<uint64_t> first_operand;
};

Pattern parse_pattern(const std::string& text) {
  Pattern pattern;
  const size_t blank = text.find(' ');
  std::istringstream words(text.substr(0, blank));
  std::getline(words, pattern.opcode, '.');
  for (std::string word; std::getline(words, word, '.');) pattern.modifiers.push_back(word);
  if (blank == std::string::npos) return pattern;
  uint64_t value = 0;
  const char* const end = text.data() + text.size();
  if (std::from_chars(text.data() + blank + 1, end, value).ptr != end) {
    throw ManifestError("\"" + text + "\": after the blank stands a number");
  }
  pattern.first_operand = value;
  return pattern;
}

bool matches_but_for_number(const Pattern& pattern, const Instruction& in) {
  if (in.opcode != pattern.opcode) return false;
  return std::all_of(pattern.modifiers.begin(), pattern.modifiers.end(), [&](const auto& modifier) {
    return std::find(in.modifiers.begin(), in.modifiers.end(), modifier) != in.modifiers.end();
  });
}

std::optional<uint64_t> number_of(const Instruction& in) {
  if (in.operands.empty() || in.operands[0].kind != Operand::Kind::kImmediate) return {};
  return in.operands[0].imm;
}

bool matches(const Pattern& pattern, const Instruction& in) {
  return matches_but_for_number(pattern, in) &&
         (!pattern.first_operand || number_of(in) == pattern.first_operand);
}

// Every instruction that may run: another kernel is a decoy.
template <class Visit>
void each_instruction(const Manifest& manifest, const emu::ptx::Module& module,
                      const Visit& visit) {
  for (const auto& function : module.functions) {
    if (function.is_entry && function.name != manifest.kernel) continue;
    for (const Instruction& in : function.body) visit(in);
  }
}

// "cp.async.wait_group 3 was given, 2 is needed", when a rule wants a number and the instruction is
// there with others; else nothing.
std::string other_number(const PtxRule& rule, const Manifest& manifest,
                         const emu::ptx::Module& module) {
  const Pattern pattern = parse_pattern(rule.instruction);
  if (!rule.required || !pattern.first_operand) return "";
  std::set<uint64_t> given;
  each_instruction(manifest, module, [&](const Instruction& in) {
    if (!matches_but_for_number(pattern, in)) return;
    if (const auto number = number_of(in)) given.insert(*number);
  });
  if (given.empty() || given.contains(*pattern.first_operand)) return "";
  std::string numbers;
  for (const uint64_t number : given) {
    numbers += (numbers.empty() ? "" : " and ") + std::to_string(number);
  }
  return rule.instruction.substr(0, rule.instruction.find(' ') + 1) + numbers +
         (given.size() == 1 ? " was" : " were") + " given, " +
         std::to_string(*pattern.first_operand) + " is needed";
}

// The user's line: the outermost of an inlined call.
std::string place_of(const emu::ptx::Module& module, const Instruction& in) {
  const auto& inlined = in.location.inlined_at;
  const int file = inlined.empty() ? in.location.file : inlined.back().file;
  const int line = inlined.empty() ? in.location.line : inlined.back().line;
  if (file <= 0 || static_cast<size_t>(file) >= module.files.size()) return "";
  return module.files[static_cast<size_t>(file)] + ":" + std::to_string(line);
}

std::string decimal(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g", value);
  return text;
}

}  // namespace

std::vector<GateResult> judge_ptx(const Manifest& manifest, const emu::ptx::Module& module) {
  std::vector<GateResult> gates;
  for (const PtxRule& rule : manifest.ptx) {
    const Pattern pattern = parse_pattern(rule.instruction);
    int64_t looked_at = 0;
    std::vector<std::string> places;
    each_instruction(manifest, module, [&](const Instruction& in) {
      ++looked_at;
      if (matches(pattern, in)) places.push_back(place_of(module, in));
    });
    const std::string name = rule.instruction + (rule.required ? " required" : " forbidden");
    if (rule.required != places.empty()) {
      gates.push_back(GateResult::pass(name, looked_at));
      continue;
    }
    std::vector<std::string> lines;
    if (const std::string number = other_number(rule, manifest, module); !number.empty()) {
      lines.push_back(number);
    } else if (rule.required) {
      lines.push_back("no " + rule.instruction + " among the " + with_separators(looked_at) +
                      " PTX instructions of " + manifest.kernel);
    } else {
      lines.push_back(std::to_string(places.size()) + " × " + rule.instruction + ", the first at " +
                      (places[0].empty() ? "an unknown line" : places[0]));
    }
    lines.push_back(rule.why);
    gates.push_back(GateResult::fail(name, looked_at, std::move(lines)));
  }
  return gates;
}

std::vector<std::string> wrong_numbers(const Manifest& manifest, const emu::ptx::Module& module) {
  std::vector<std::string> lines;
  for (const PtxRule& rule : manifest.ptx) {
    const std::string line = other_number(rule, manifest, module);
    if (!line.empty()) lines.insert(lines.end(), {line, rule.why});
  }
  return lines;
}

std::string name_of(const CounterBar& bar) {
  return bar.counter + (bar.per.empty() ? "" : " per " + bar.per);
}

std::vector<GateResult> judge_counters(const Manifest& manifest,
                                       const emu::LaunchCounters& counters) {
  std::vector<GateResult> gates;
  for (const CounterBar& bar : manifest.counters) {
    const auto count = [&](const std::string& name) {
      return static_cast<double>(emu::find_counter(name)->value(counters));
    };
    const double total = count(bar.counter);
    const double divisor = bar.per.empty() ? 1 : count(bar.per);
    const std::string name = name_of(bar);
    if (divisor == 0) {
      gates.push_back(
          GateResult::fail(name, 1, {bar.per + " is 0: nothing to divide by", bar.why}));
      continue;
    }
    const double value = total / divisor;
    const bool high = bar.at_most && value > *bar.at_most;
    const bool low = bar.at_least && value < *bar.at_least;
    if (!high && !low) {
      gates.push_back(GateResult::pass(name, 1, decimal(value)));
      continue;
    }
    std::string line = decimal(value);
    if (!bar.per.empty()) line += " (" + decimal(total) + " / " + decimal(divisor) + ")";
    line += high ? ", the bar is at most " + decimal(*bar.at_most)
                 : ", the bar is at least " + decimal(*bar.at_least);
    gates.push_back(GateResult::fail(name, 1, {line, bar.why}));
  }
  return gates;
}

std::vector<GateResult> judge_shared_memory(const Manifest& manifest, const Workbench& bench) {
  if (!manifest.shared_bytes) return {};
  const uint32_t bytes = bench.static_shared_bytes() + manifest.gemm.dynamic_shared_bytes;
  const std::string is = with_separators(bytes) + " bytes a CTA";
  if (bytes <= *manifest.shared_bytes) return {GateResult::pass("shared memory", 1, is)};
  return {GateResult::fail("shared memory", 1,
                           {is + ", the bar is " + with_separators(*manifest.shared_bytes)})};
}

}  // namespace tcd::exercises
