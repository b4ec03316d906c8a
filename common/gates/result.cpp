#include "gates/result.h"

#include <algorithm>
#include <ostream>
#include <utility>

namespace tcd {

std::string with_separators(std::int64_t count) {
  const std::string digits = std::to_string(count < 0 ? -count : count);
  std::string text(count < 0 ? 1 : 0, '-');
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

GateResult GateResult::pass(std::string name, std::int64_t checked, std::string summary) {
  GateResult result;
  result.name_ = std::move(name);
  result.agreed_ = true;
  result.checked_ = checked;
  result.summary_ = summary.empty()
                        ? "passed (" + with_separators(checked) + " elements, bit for bit)"
                        : std::move(summary);
  if (checked <= 0) {
    result.lines_ = {"nothing was compared: a gate without elements proves nothing"};
  }
  return result;
}

GateResult GateResult::fail(std::string name, std::int64_t checked,
                            std::vector<std::string> lines) {
  GateResult result;
  result.name_ = std::move(name);
  result.checked_ = checked;
  result.lines_ = std::move(lines);
  return result;
}

std::string GateResult::text() const {
  if (passed()) return "gate " + name_ + ": " + summary_;
  std::string text = "gate " + name_ + ": FAILED";
  for (const std::string& line : lines_) text += "\n  " + line;
  return text;
}

bool Report::add(GateResult result, std::ostream* out) {
  if (out != nullptr) *out << result.text() << "\n" << std::flush;
  gates_.push_back(std::move(result));
  return gates_.back().passed();
}

void Report::skip(const std::string& name, const std::string& reason, std::ostream* out) {
  if (out != nullptr) *out << name << ": not run: " << reason << "\n" << std::flush;
  skipped_.push_back({name, reason});
}

bool Report::all_passed() const {
  return !gates_.empty() && std::all_of(gates_.begin(), gates_.end(),
                                        [](const GateResult& gate) { return gate.passed(); });
}

int Report::exit_code() const {
  if (gates_.empty()) return skipped_.empty() ? 1 : 0;
  return all_passed() ? 0 : 1;
}

}  // namespace tcd
