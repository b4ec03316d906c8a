#include "harness/usage.h"

#include <charconv>

namespace tcd::harness {

namespace {

constexpr int kLargestSize = 65536;  // element indices stay below 2^32, FP32 sums stay exact

}  // namespace

int parse_size(const std::string& option, const std::string& text, int multiple,
               const std::string& of) {
  const std::string kind = multiple > 1 ? "a multiple of " + std::to_string(multiple) + " " : "";
  const std::string allowed = "allowed: " + kind + "from " + std::to_string(multiple) + " to " +
                              std::to_string(kLargestSize);
  long long value = 0;
  const char* end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::result_out_of_range) {
    throw UsageError(option + " " + text + " is far too large; " + allowed);
  }
  if (error != std::errc() || stop != end) {
    throw UsageError(option + " '" + text + "' is not a whole number; " + allowed);
  }
  if (value < 1) throw UsageError(option + " " + text + " is not positive; " + allowed);
  if (value > kLargestSize) throw UsageError(option + " " + text + " is too large; " + allowed);
  if (value % multiple != 0) {
    const long long below = value / multiple * multiple;
    std::string nearest = std::to_string(below + multiple);
    if (below > 0) nearest = std::to_string(below) + " or " + nearest;
    throw UsageError(option + " " + text + " is not a multiple of " + of + " (" +
                     std::to_string(multiple) + "); nearest: " + nearest);
  }
  return static_cast<int>(value);
}

}  // namespace tcd::harness
