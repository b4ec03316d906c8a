#include "gates/output.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "gates/numbers.h"

namespace tcd {
namespace {

constexpr std::size_t kGuardGrain = 128;

std::size_t rounded_guard(int elements) {
  if (elements < 1) {
    throw std::invalid_argument("a guard band of " + std::to_string(elements) +
                                " elements guards nothing: it must be at least 1");
  }
  return (static_cast<std::size_t>(elements) + kGuardGrain - 1) / kGuardGrain * kGuardGrain;
}

}  // namespace

GuardedOutput::GuardedOutput(OutputType type, const MatrixLayout& layout, int guard_elements)
    : type_(type), layout_(layout), guard_(rounded_guard(guard_elements)) {
  if (layout.rows < 1 || layout.cols < 1 || layout.ld < layout.line_length()) {
    throw std::invalid_argument("an output of " + std::to_string(layout.rows) + " x " +
                                std::to_string(layout.cols) + " with leading dimension " +
                                std::to_string(layout.ld) +
                                ": needs at least one element, and the leading dimension must be "
                                "at least the length of a line");
  }
  const std::size_t elements = 2 * guard_ + layout_.span();
  storage_.resize((elements * bytes_per_element(type_) + 3) / 4);
  fill();
}

void GuardedOutput::fill() {
  const std::uint32_t word = type_ == OutputType::kF32
                                 ? kFillF32
                                 : std::uint32_t{kFillF16} << 16 | std::uint32_t{kFillF16};
  std::fill(storage_.begin(), storage_.end(), word);
}

OutputView GuardedOutput::view() const {
  return {type_, layout_, reinterpret_cast<const std::byte*>(storage_.data()) + payload_offset()};
}

std::uint32_t GuardedOutput::raw(std::size_t element) const {
  if (type_ == OutputType::kF32) return storage_[element];
  std::uint16_t bits = 0;
  std::memcpy(&bits, reinterpret_cast<const std::byte*>(storage_.data()) + element * 2, 2);
  return bits;
}

GateResult GuardedOutput::check_guards(const std::string& name) const {
  std::int64_t checked = 0;
  std::int64_t before = 0, padding = 0, after = 0;
  std::string first;
  const auto visit = [&](std::size_t begin, std::size_t end, std::int64_t& written,
                         const auto& where) {
    for (std::size_t at = begin; at < end; ++at) {
      ++checked;
      const std::uint32_t bits = raw(at);
      if (bits == fill_bits(type_)) continue;
      ++written;
      if (first.empty()) first = where(at) + ": found " + both(type_, bits);
    }
  };
  const std::size_t payload_end = guard_ + layout_.span();
  visit(0, guard_, before, [&](std::size_t at) {
    return std::to_string(guard_ - at) + " elements before the first element of D";
  });
  const bool by_row = layout_.order == Order::kRowMajor;
  for (int line = 0; line < layout_.lines(); ++line) {
    const std::size_t start = guard_ + static_cast<std::size_t>(line * layout_.ld);
    visit(start + static_cast<std::size_t>(layout_.line_length()),
          start + static_cast<std::size_t>(layout_.ld), padding, [&](std::size_t at) {
            const auto inside = static_cast<std::int64_t>(at - start);
            return std::string("in the padding of ") + (by_row ? "row " : "column ") +
                   std::to_string(line) + ", at " + (by_row ? "column " : "row ") +
                   std::to_string(inside) + " of " + std::to_string(layout_.line_length()) +
                   " (leading dimension " + std::to_string(layout_.ld) + ")";
          });
  }
  visit(payload_end, payload_end + guard_, after, [&](std::size_t at) {
    return std::to_string(at - payload_end) + " elements after the end of D";
  });
  const std::int64_t written = before + padding + after;
  if (written == 0) {
    return GateResult::pass(name, checked,
                            "passed (" + with_separators(checked) + " guard elements untouched)");
  }
  std::vector<std::string> lines;
  lines.push_back("the kernel wrote outside its output: " + with_separators(before) +
                  " elements before it, " + with_separators(padding) +
                  " in the padding between rows, " + with_separators(after) + " after it");
  lines.push_back("first " + first + ", the fill was " + hex(type_, fill_bits(type_)));
  if (padding > 0 && before == 0 && after == 0) {
    lines.push_back(
        "likely: the store's column guard is missing or compares with the leading "
        "dimension instead of N");
  } else if (after > 0) {
    lines.push_back(
        "likely: the store's row or column guard is missing, M and N are confused, or the "
        "leading dimension in the store is too large");
  } else {
    lines.push_back("likely: a negative index, that is an offset subtracted before its check");
  }
  return GateResult::fail(name, checked, std::move(lines));
}

}  // namespace tcd
