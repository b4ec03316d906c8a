// --csv: the rows of the bench, in the file as soon as they are finished.
#pragma once

#include <cstdio>
#include <set>
#include <string>

#include "bench/bench.h"

namespace day::bench {

class Csv {
 public:
  // Opens the file: a typo must not cost a run. What is in it stays until the first row comes. An
  // empty path: no file is wanted. Throws UsageError with path and reason.
  // `resume`: what is in it stays for good. `provenance` ends each row.
  Csv(std::string path, bool resume, std::string provenance);
  ~Csv();
  Csv(const Csv&) = delete;

  // Handed to the system at once: who interrupts a sweep keeps what was finished.
  void add(const Row& row);
  // Whether a resumed file has this configuration at this size already.
  bool has(const Row& row) const { return present_.contains(key(row)); }

  static std::string key(const Row& row);  // the first columns

 private:
  void read_rows();
  void write(const std::string& text);
  [[noreturn]] void fail(int error) const;

  std::string path_, provenance_;
  std::set<std::string> present_;
  std::FILE* file_ = nullptr;
  bool existed_ = false, begun_ = false;
};

}  // namespace day::bench
