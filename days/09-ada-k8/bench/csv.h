// --csv: the rows of the bench, in the file as soon as they are finished.
#pragma once

#include <cstdio>
#include <string>

#include "bench/bench.h"

namespace day::bench {

class Csv {
 public:
  // Opens the file: a typo must not cost a run. What is in it stays until the first row comes. An
  // empty path: no file is wanted. Throws UsageError with path and reason.
  explicit Csv(std::string path);
  ~Csv();
  Csv(const Csv&) = delete;

  // Handed to the system at once: who interrupts a sweep keeps what was finished.
  void add(const Row& row);

 private:
  void write(const std::string& text);
  [[noreturn]] void fail(int error) const;

  std::string path_;
  std::FILE* file_ = nullptr;
  bool existed_ = false, begun_ = false;
};

}  // namespace day::bench
