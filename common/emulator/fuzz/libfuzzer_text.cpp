// Gives libFuzzer our mutations of text, half of the time; the other half stays its own.
#include <algorithm>
#include <cstring>
#include <string>

#include "fuzz/mutations.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

// The text before the last: libFuzzer hands over one at a time, and lines are to come from others.
static std::string& previous() {
  static std::string text;
  return text;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  tcd::fuzz::Random random(seed);
  if (random.one_in(2)) return LLVMFuzzerMutate(data, size, max_size);
  const std::string before(reinterpret_cast<const char*>(data), size);
  const std::string text = tcd::fuzz::mutate_text(before, previous(), random);
  if (random.one_in(16)) previous() = before;
  const size_t kept = std::min(text.size(), max_size);
  std::memcpy(data, text.data(), kept);
  return kept;
}
