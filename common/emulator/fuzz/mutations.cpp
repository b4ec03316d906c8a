#include "fuzz/mutations.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <iterator>
#include <string_view>
#include <utility>

namespace tcd::fuzz {
namespace {

constexpr size_t kHeaderBytes = 160;
constexpr size_t kLongestSlice = 64;
constexpr size_t kMostEdits = 8;

constexpr uint64_t kAwkwardWords[] = {0,          1,          0x7f,         0xffff,
                                      0x7fffffff, 0xffffffff, ~uint64_t{0}, uint64_t{1} << 63};

constexpr const char* kAwkwardNumbers[] = {"0",          "1",
                                           "-1",         "3",
                                           "31",         "32",
                                           "33",         "255",
                                           "65536",      "1048576",
                                           "2147483647", "-2147483648",
                                           "4294967295", "4294967296",
                                           "4000000000", "9223372036854775807",
                                           "1e300",      "18446744073709551615",
                                           "0f7F800000", "0x8000000000000000"};

struct Span {
  size_t begin, end;
};

std::vector<Span> lines_of(const std::string& text) {
  std::vector<Span> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t newline = text.find('\n', at);
    const size_t end = newline == std::string::npos ? text.size() : newline + 1;
    lines.push_back({at, end});
    at = end;
  }
  return lines;
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '%' || c == '$';
}

std::vector<Span> words_of(const std::string& text, Span range) {
  std::vector<Span> words;
  for (size_t at = range.begin; at < range.end;) {
    if (!is_word(text[at])) {
      ++at;
      continue;
    }
    const size_t begin = at;
    while (at < range.end && is_word(text[at])) ++at;
    words.push_back({begin, at});
  }
  return words;
}

std::string slice(const std::string& text, Span s) { return text.substr(s.begin, s.end - s.begin); }

std::string any_line(const std::string& text, Random& random) {
  const auto lines = lines_of(text);
  return lines.empty() ? "\n" : slice(text, lines[random.below(lines.size())]);
}

std::string any_word(const std::string& text, Random& random) {
  const std::string line = any_line(text, random);
  const auto words = words_of(line, {0, line.size()});
  return words.empty() ? "0" : slice(line, words[random.below(words.size())]);
}

std::string other_word(const std::string& text, const std::string& other, Random& random) {
  if (random.one_in(3)) return kAwkwardNumbers[random.below(std::size(kAwkwardNumbers))];
  return any_word(random.one_in(2) ? text : other, random);
}

void edit_line(std::string& text, Span line, const std::string& other, Random& random) {
  const auto words = words_of(text, line);
  if (words.empty()) {
    text.insert(line.begin, any_line(other, random));
    return;
  }
  const Span word = words[random.below(words.size())];
  const size_t bytes = word.end - word.begin;
  switch (random.below(5)) {
    case 0:  // with the dot before it, if there is one: a modifier is left out
      if (word.begin > line.begin && text[word.begin - 1] == '.') {
        text.erase(word.begin - 1, bytes + 1);
      } else {
        text.erase(word.begin, bytes);
      }
      break;
    case 1:
      text.insert(word.end, "." + other_word(text, other, random));
      break;
    case 2: {  // an operand more
      const size_t comma = text.find(',', word.begin);
      const std::string more = ", " + other_word(text, other, random);
      text.insert(comma == std::string::npos ? word.end : comma, more);
      break;
    }
    default:
      text.replace(word.begin, bytes, other_word(text, other, random));
  }
}

void edit_text(std::string& text, const std::string& other, Random& random) {
  const auto lines = lines_of(text);
  if (lines.empty()) {
    text = any_line(other, random);
    return;
  }
  const Span line = lines[random.below(lines.size())];
  switch (random.below(12)) {
    case 0:
      text.erase(line.begin, line.end - line.begin);
      break;
    case 1:
      text.insert(line.begin, slice(text, line));
      break;
    case 2:
      text.insert(line.begin, any_line(text, random));
      break;
    case 3:
    case 4:
      text.insert(line.begin, any_line(other, random));
      break;
    case 5:
    case 6:
      text = mutate_bytes(std::move(text), random);
      break;
    default:
      edit_line(text, line, other, random);
  }
}

void edit_bytes(std::string& bytes, Random& random) {
  const size_t range = random.one_in(2) ? bytes.size() : std::min(bytes.size(), kHeaderBytes);
  const size_t at = random.below(range);
  const size_t length = std::min(1 + random.below(kLongestSlice), bytes.size() - at);
  switch (random.below(8)) {
    case 0:
    case 1:
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8)));
      break;
    case 2:
    case 3: {
      const uint64_t word = kAwkwardWords[random.below(std::size(kAwkwardWords))];
      std::memcpy(&bytes[at], &word, std::min<size_t>(random.one_in(2) ? 4 : 8, bytes.size() - at));
      break;
    }
    case 4:
      bytes[at] = static_cast<char>(random.next());
      break;
    case 5:
      bytes.insert(random.below(bytes.size()), bytes.substr(at, length));
      break;
    case 6:
      bytes.erase(at, length);
      break;
    default:
      if (random.one_in(8)) bytes.resize(at);
  }
}

}  // namespace

uint64_t Random::next() {
  uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

std::string mutate_bytes(std::string bytes, Random& random) {
  for (size_t edits = 1 + random.below(kMostEdits); edits > 0 && !bytes.empty(); --edits) {
    edit_bytes(bytes, random);
  }
  return bytes;
}

std::string mutate_text(std::string text, const std::string& other, Random& random) {
  for (size_t edits = 1 + random.below(kMostEdits / 2); edits > 0; --edits) {
    edit_text(text, other, random);
  }
  return text;
}

}  // namespace tcd::fuzz
