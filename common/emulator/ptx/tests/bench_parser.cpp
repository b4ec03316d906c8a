// How long 1 MB of PTX takes: the corpus's kernels over and over under new names.
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "ptx/control_flow.h"
#include "ptx/parser.h"
#include "ptx/tests/corpus_files.h"

using namespace tcd::emu::ptx;

namespace {

// One kernel of tensor_ops, renamed `copies` times, behind one header.
std::string megabyte() {
  std::string kernel;
  for (const CorpusFile& file : read_corpus()) {
    if (file.name.starts_with("tensor_ops")) kernel = file.text;
  }
  const size_t begin = kernel.find(".visible");
  const size_t end = kernel.find(".file");
  std::string text = kernel.substr(0, begin);
  kernel = kernel.substr(begin, end - begin);
  for (int copy = 0; text.size() < 1000000; ++copy) {
    std::string renamed = kernel;
    for (const std::string name : {"_Z8pipeline", "_Z9wmma_tile"}) {
      for (size_t at = renamed.find(name); at != std::string::npos;
           at = renamed.find(name, at + name.size())) {
        renamed.insert(at + name.size(), std::to_string(copy));
      }
    }
    text += renamed;
  }
  return text;
}

template <typename Work>
double best_ms(Work work) {
  double best = 1e9;
  for (int i = 0; i < 20; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    best = std::min(
        best, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
                  .count());
  }
  return best;
}

}  // namespace

int main() {
  const std::string text = megabyte();
  Module module;
  const double parse_ms = best_ms([&] { module = parse(text); });
  size_t instructions = 0, steps = 0;
  for (const Function& function : module.functions) instructions += function.body.size();
  const double schedule_ms = best_ms([&] {
    steps = 0;
    for (const Function& function : module.functions) {
      steps += schedule_for_reconvergence(function).steps.size();
    }
  });
  std::printf("%zu bytes, %zu functions, %zu instructions\nparse    %6.2f ms\n", text.size(),
              module.functions.size(), instructions, parse_ms);
  std::printf("schedule %6.2f ms (%zu steps)\n", schedule_ms, steps);
  return steps < instructions;
}
