// The PTX files of tests/corpus.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace tcd::emu::ptx {

struct CorpusFile {
  std::string name, text;
};

// Tests run in the repository's root.
inline std::vector<CorpusFile> read_corpus(
    const std::filesystem::path& folder = "common/emulator/ptx/tests/corpus") {
  std::vector<CorpusFile> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".ptx") continue;
    std::ifstream in(entry.path(), std::ios::binary);
    files.push_back({entry.path().filename().string(),
                     {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()}});
  }
  std::sort(files.begin(), files.end(),
            [](const CorpusFile& a, const CorpusFile& b) { return a.name < b.name; });
  if (files.empty()) throw std::runtime_error("no .ptx in " + folder.string());
  return files;
}

}  // namespace tcd::emu::ptx
