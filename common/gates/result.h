// What a gate says, and the list of them that decides the exit code.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace tcd {

std::string with_separators(std::int64_t count);  // 4194304 -> 4,194,304

// One gate's verdict. A gate that compared nothing has failed, whatever its caller meant.
class GateResult {
 public:
  // summary replaces "passed (N elements, bit for bit)".
  static GateResult pass(std::string name, std::int64_t checked, std::string summary = {});
  // lines: the first is the headline, the rest explain.
  static GateResult fail(std::string name, std::int64_t checked, std::vector<std::string> lines);

  const std::string& name() const { return name_; }
  bool passed() const { return agreed_ && checked_ > 0; }
  std::int64_t checked() const { return checked_; }
  const std::vector<std::string>& lines() const { return lines_; }
  // "gate <name>: passed (…)" or "gate <name>: FAILED" with the lines indented below.
  std::string text() const;

 private:
  std::string name_;
  bool agreed_ = false;
  std::int64_t checked_ = 0;
  std::string summary_;
  std::vector<std::string> lines_;
};

// Collects the gates of one run.
class Report {
 public:
  // Adds and, when `out` is not null, prints at once. Returns whether the gate passed, so that a
  // caller can stop before it times a wrong kernel.
  bool add(GateResult result, std::ostream* out = nullptr);
  // Something this device cannot run: printed as "not run: …", never counted as passed.
  void skip(const std::string& name, const std::string& reason, std::ostream* out = nullptr);

  struct Skipped {
    std::string name;
    std::string reason;
  };
  const std::vector<GateResult>& gates() const { return gates_; }
  const std::vector<Skipped>& skipped() const { return skipped_; }
  bool all_passed() const;  // at least one gate ran, and none failed
  // 0: all passed, or nothing could run and that was said. 1: a gate failed, or there was none.
  int exit_code() const;

 private:
  std::vector<GateResult> gates_;
  std::vector<Skipped> skipped_;
};

}  // namespace tcd
