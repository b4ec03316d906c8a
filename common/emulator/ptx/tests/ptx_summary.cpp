// ptx_summary FILE.ptx…: which instructions a program needs, most frequent first. What the emulator
// must decode is this list, so it is where a new opcode starts.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "ptx/parser.h"

using namespace tcd::emu::ptx;

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: ptx_summary FILE.ptx…\n");
    return 2;
  }
  std::map<std::string, int> counts;
  for (int i = 1; i < argc; ++i) {
    std::ifstream in(argv[i], std::ios::binary);
    if (!in) {
      std::fprintf(stderr, "cannot read %s\n", argv[i]);
      return 1;
    }
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    try {
      const Module module = parse(text);
      for (const Function& function : module.functions) {
        for (const Instruction& instruction : function.body) {
          std::string name = instruction.opcode;
          for (const std::string& modifier : instruction.modifiers) name += "." + modifier;
          ++counts[name];
        }
      }
    } catch (const ParseError& error) {
      std::fprintf(stderr, "%s: %s\n", argv[i], error.what());
      return 1;
    }
  }
  std::vector<std::pair<std::string, int>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  for (const auto& [name, count] : sorted) std::printf("%6d  %s\n", count, name.c_str());
  return 0;
}
