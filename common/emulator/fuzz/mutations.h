// How a fuzzed input is changed: the same everywhere, from a number. The replay driver and
// libFuzzer both use these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tcd::fuzz {

class Random {  // splitmix64: the same numbers with every standard library
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next();
  size_t below(size_t bound) { return bound == 0 ? 0 : static_cast<size_t>(next() % bound); }
  bool one_in(size_t n) { return below(n) == 0; }

 private:
  uint64_t state_;
};

// Flips bits, writes awkward words, copies and removes slices; half of it in the first bytes, where
// headers are.
std::string mutate_bytes(std::string bytes, Random& random);

// Works on lines and words, so that most results still are sentences of the language: lines are
// removed, repeated, exchanged and taken from `other`; words are replaced by words of both texts or
// by numbers that programs seldom expect. One change in six is left to mutate_bytes().
std::string mutate_text(std::string text, const std::string& other, Random& random);

}  // namespace tcd::fuzz
