// One run of one day: options in, lines and a JSON verdict out.
//
// A day's main() is one call of run_day(). The session carries what every day shares: the device,
// the gates' report, predictions, resource lines and timings, and where --json writes them.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "gates/result.h"
#include "harness/device_info.h"
#include "harness/resources.h"
#include "harness/timing.h"
#include "harness/usage.h"

namespace CLI {
class App;  // days that add options include <CLI/CLI.hpp>; kernels need not compile it
}

namespace tcd::harness {

struct DayInfo {
  std::string number;   // "01"
  std::string title;    // "fragment probe"
  std::string summary;  // for --help: what it shows, in a sentence
  int minimum_compute;  // 75: below it the whole day is "not run"
  // What to type on a machine without a card, a sentence. Empty: this day, emulated.
  std::string without_card{};
};

class Session {
 public:
  Session(DayInfo day, DeviceInfo device, uint64_t seed, std::string command);
  ~Session();

  const DeviceInfo& device() const { return device_; }
  uint64_t seed() const { return seed_; }
  bool emulated() const { return device_.emulated; }

  // Prints a heading or a line of the lesson.
  void section(const std::string& title);
  void say(const std::string& line);

  // Records a gate and prints its verdict; a failing gate makes the day fail.
  bool gate(GateResult result);  // returns whether it passed
  // A part this device cannot run. Printed as `NAME: not run: REASON`; never counted as passed.
  void not_run(const std::string& part, const std::string& reason);
  // A prediction of the page, by its number there, and whether it came out.
  void predict(int number, const std::string& text, bool held);
  // A prediction this device cannot answer, e.g. a time on the emulated device.
  void predict_unanswered(int number, const std::string& text, const std::string& why);
  void resources(const KernelResources& resources);
  void timing(const Timing& timing);
  void rate(const Rate& rate);                    // among the timings in the JSON
  void keep_timing(const nlohmann::json& entry);  // likewise, and prints nothing
  // Counted or derived values, under "derived" in the JSON.
  void derive(const std::string& name, const nlohmann::json& value);

  nlohmann::json to_json() const;
  int finish();  // prints the summary; exit code 0 or 1

 private:
  void judge_reports();

  DayInfo day_;
  DeviceInfo device_;
  uint64_t seed_;
  std::string command_;
  Report report_;
  struct Record;  // predictions, resources, timings, derived values
  std::unique_ptr<Record> record_;
};

// Parses the command line, checks the device, runs `body`, writes --json. Returns the exit code:
// 0 passed or not run, 1 a gate failed, 2 bad usage or environment (a kernel fault, or output that
// cannot be written, too).
int run_day(int argc, char** argv, const DayInfo& day,
            const std::function<void(CLI::App&)>& add_options,
            const std::function<void(Session&)>& body);

}  // namespace tcd::harness
