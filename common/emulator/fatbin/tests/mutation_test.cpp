// Deterministic mutations of real fat binaries: nothing may crash, hang or throw anything else.
#include <cstddef>
#include <cstring>
#include <random>

#include "test_data.h"

bool read_fatbin(const uint8_t* data, size_t size);  // fuzz_fatbin.cpp

using namespace tcd::emu::fatbin;

namespace {

bool feed(const std::vector<std::byte>& bytes) {
  return read_fatbin(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
}

// Flips bytes, overwrites words with awkward values, truncates, and repeats a slice.
std::vector<std::byte> mutate(std::vector<std::byte> bytes, std::mt19937& random) {
  static constexpr uint64_t kAwkward[] = {0,          1,          0x7f,         0xffff,
                                          0x7fffffff, 0xffffffff, ~uint64_t{0}, uint64_t{1} << 63};
  const int edits = 1 + static_cast<int>(random() % 8);
  for (int i = 0; i < edits && bytes.size() > 16; ++i) {
    // Half of the edits go to the headers, where they do most harm.
    const size_t range = random() % 2 ? bytes.size() : std::min<size_t>(bytes.size(), 160);
    const size_t at = random() % (range - 8);
    switch (random() % 4) {
      case 0:
        bytes[at] ^= static_cast<std::byte>(1u << (random() % 8));
        break;
      case 1: {
        const uint64_t value = kAwkward[random() % std::size(kAwkward)];
        std::memcpy(&bytes[at], &value, random() % 2 ? 4 : 8);
        break;
      }
      case 2:
        bytes[at] = static_cast<std::byte>(random());
        break;
      case 3:
        if (random() % 8 == 0) bytes.resize(at + 8);
        break;
    }
  }
  return bytes;
}

}  // namespace

TEST_CASE("ten thousand mutated fat binaries: each is read or refused") {
  std::mt19937 random(20260114);
  int read = 0, refused = 0;
  for (const char* name : {"plain.fatbin", "default.fatbin", "speed.fatbin", "size.fatbin"}) {
    if (!have_data(name)) continue;
    const auto original = read_data(name);
    REQUIRE(feed(original));
    for (int i = 0; i < 2500; ++i) (feed(mutate(original, random)) ? read : refused)++;
  }
  CHECK(read > 0);     // some edits hit a payload or padding only
  CHECK(refused > 0);  // others must be noticed
}
