#include "machine/demangle.h"

#include <cxxabi.h>

#include <cctype>
#include <cstdlib>
#include <string_view>

namespace tcd::emu {
namespace {

constexpr size_t kLongestMangled = 1024;
constexpr int kDoublings = 12;  // 1,024 characters become 4 MiB at most

// How often the text may double: once for each S…_ or T…_; Dp repeats a pattern for each of up to
// 1,024 arguments, so it counts as ten. Letters of identifiers are counted too: safe, and rare.
int doublings(std::string_view name) {
  int count = 0;
  for (size_t i = 0; i + 1 < name.size(); ++i) {
    if (name[i] == 'D' && name[i + 1] == 'p') count += 10;
    if (name[i] != 'S' && name[i] != 'T') continue;
    size_t end = i + 1;
    while (end < name.size() && (std::isdigit(static_cast<unsigned char>(name[end])) != 0 ||
                                 std::isupper(static_cast<unsigned char>(name[end])) != 0)) {
      ++end;
    }
    count += end < name.size() && name[end] == '_';
  }
  return count;
}

// Namespaces and name, without template arguments and parameters; empty when there is no such
// thing.
std::string own_name(std::string_view mangled) {
  std::string text;
  size_t at = 2;  // after _Z
  const auto skip = [&](std::string_view any) {
    while (at < mangled.size() && any.find(mangled[at]) != std::string_view::npos) ++at;
  };
  skip("N");
  skip("rVK");
  while (at < mangled.size()) {
    skip("L");  // internal linkage
    size_t length = 0;
    const size_t digits = at;
    for (; at < mangled.size() && std::isdigit(static_cast<unsigned char>(mangled[at])) != 0;
         ++at) {
      length = length * 10 + static_cast<size_t>(mangled[at] - '0');
      if (length > mangled.size()) return {};
    }
    if (at == digits) break;
    if (length == 0 || length > mangled.size() - at) return {};
    text += (text.empty() ? "" : "::") + std::string(mangled.substr(at, length));
    at += length;
  }
  if (!text.empty() && at < mangled.size() && mangled[at] == 'I') text += "<...>";
  return text;
}

std::string cut(std::string text) {
  constexpr std::string_view kCut = "...";
  if (text.size() > kLongestName) text.replace(kLongestName - kCut.size(), std::string::npos, kCut);
  return text;
}

}  // namespace

std::string demangle(const std::string& name) {
  if (!name.starts_with("_Z")) return cut(name);
  if (name.size() > kLongestMangled || doublings(name) > kDoublings) {
    const std::string own = own_name(name);
    return cut(own.empty() ? name : own);
  }
  int status = 0;
  char* const text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string result = status == 0 && text != nullptr ? text : name;
  std::free(text);
  return cut(std::move(result));
}

}  // namespace tcd::emu
