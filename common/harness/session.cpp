#include "harness/session.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <nlohmann/json.hpp>

#include "gates/result_json.h"
#include "harness/cuda_error.h"
#include "harness/emulator_counters.h"
#include "harness/output_file.h"
#include "harness/provenance.h"

namespace tcd::harness {

namespace {

// "day 01"; the bench, which is no day, by its name.
std::string called(const DayInfo& day) {
  const bool numbered =
      !day.number.empty() && day.number.front() >= '0' && day.number.front() <= '9';
  return numbered ? "day " + day.number : day.number;
}

}  // namespace

struct Session::Record {
  nlohmann::json predictions = nlohmann::json::array();
  nlohmann::json resources = nlohmann::json::array();
  nlohmann::json timings = nlohmann::json::array();
  nlohmann::json derived = nlohmann::json::object();
};

Session::~Session() = default;

Session::Session(DayInfo day, DeviceInfo device, uint64_t seed, std::string command)
    : day_(std::move(day)),
      device_(std::move(device)),
      seed_(seed),
      command_(std::move(command)),
      record_(std::make_unique<Record>()) {}

void Session::section(const std::string& title) { std::cout << "\n== " << title << "\n"; }
void Session::say(const std::string& line) { std::cout << line << "\n"; }

bool Session::gate(GateResult result) { return report_.add(std::move(result), &std::cout); }

void Session::not_run(const std::string& part, const std::string& reason) {
  report_.skip(part, reason, &std::cout);
}

void Session::predict(int number, const std::string& text, bool held) {
  say("prediction " + std::to_string(number) + (held ? ", held: " : ", NOT held: ") + text);
  record_->predictions.push_back({{"number", number}, {"text", text}, {"held", held}});
}

void Session::predict_unanswered(int number, const std::string& text, const std::string& why) {
  say("prediction " + std::to_string(number) + ", not answered here (" + why + "): " + text);
  record_->predictions.push_back(
      {{"number", number}, {"text", text}, {"held", nullptr}, {"why", why}});
}

void Session::resources(const KernelResources& resources) {
  say(resources.line());
  record_->resources.push_back(resources);
}

void Session::timing(const Timing& timing) {
  say(timing.line());
  record_->timings.push_back(timing);
}

void Session::rate(const Rate& rate) {
  say(rate.line());
  record_->timings.push_back(rate);
}

void Session::keep_timing(const nlohmann::json& entry) { record_->timings.push_back(entry); }

void Session::derive(const std::string& name, const nlohmann::json& value) {
  record_->derived[name] = value;
}

nlohmann::json Session::to_json() const {
  const nlohmann::json report = tcd::to_json(report_);
  return {{"day", day_.number},
          {"title", day_.title},
          {"status", report_.exit_code() == 0 ? "passed" : "failed"},
          {"provenance", provenance(device_, command_)},
          {"seed", seed_},
          {"gates", report.at("gates")},
          {"not_run", report.at("not_run")},
          {"predictions", record_->predictions},
          {"resources", record_->resources},
          {"timings", record_->timings},
          {"derived", record_->derived}};
}

// The emulated device goes on after a mistake, as a card does. What its checks said on stderr fails
// the day all the same.
void Session::judge_reports() {
  const auto counters = read_counters();
  const auto reports = counters.find("check_reports");
  if (reports == counters.end() || reports->second == 0) return;
  gate(GateResult::fail(
      "the emulated device's checks", static_cast<int64_t>(reports->second),
      {std::to_string(reports->second) + (reports->second == 1 ? " report" : " reports") +
           ", one for each source line: see the lines \"tcd: check:\" above",
       "TCD_CHECKS=stop ends the kernel at the first; TCD_CHECKS=off looks for "
       "none"}));
}

int Session::finish() {
  judge_reports();
  size_t passed = 0;
  for (const GateResult& gate : report_.gates()) passed += gate.passed();
  std::string line = called(day_) + ": " + std::to_string(passed) + " of " +
                     std::to_string(report_.gates().size()) + " gates passed";
  if (!report_.skipped().empty()) {
    line += ", " + std::to_string(report_.skipped().size()) + " part(s) not run";
  }
  say("\n" + line);
  return report_.exit_code();
}

namespace {

// A verdict that cannot be kept is an error of the environment, but hides no failed gate.
int keep(OutputFile& file, const nlohmann::json& json, int exit_code) {
  try {
    file.write(json.dump(2) + "\n");
    return exit_code;
  } catch (const UsageError& error) {
    std::cerr << "error: " << error.what() << "\n";
    return exit_code == 1 ? 1 : 2;
  }
}

// The kernel did something a device does not allow. That is a wrong kernel, not an environment.
bool is_kernel_fault(cudaError_t code) {
  switch (code) {
    case cudaErrorIllegalAddress:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorIllegalInstruction:
    case cudaErrorHardwareStackError:
    case cudaErrorAssert:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
      return true;
    default:
      return false;
  }
}

// The part that may throw; the caller turns exceptions into exit code 2.
int run_on_device(const DayInfo& day, const std::string& json_path, uint64_t seed,
                  const std::string& command, const std::function<void(Session&)>& body) {
  OutputFile json_file("--json", json_path);  // before the run: a typo must not cost one
  DeviceInfo device = query_device();
  std::cout << "device: " << device.description() << "\n";
  if (device.compute < day.minimum_compute) {
    const std::string reason =
        "needs sm_" + std::to_string(day.minimum_compute) + ", this is " + device.architecture();
    std::cout << "not run: " << reason << "\n";
    return keep(json_file,
                {{"day", day.number},
                 {"title", day.title},
                 {"status", "not_run"},
                 {"reason", reason},
                 {"provenance", provenance(device, command)}},
                0);
  }
  Session session(day, device, seed, command);
  try {
    body(session);
  } catch (const CudaError& error) {
    if (!is_kernel_fault(error.code())) throw;
    // Nothing can run after it: CUDA returns this error from now on.
    session.gate(GateResult::fail("the kernel runs to its end", 1, {error.what()}));
  }
  const int exit_code = session.finish();
  return keep(json_file, session.to_json(), exit_code);
}

int parse_and_run(int argc, char** argv, const DayInfo& day,
                  const std::function<void(CLI::App&)>& add_options,
                  const std::function<void(Session&)>& body) {
  CLI::App app(day.without_card.empty()
                   ? "Day " + day.number + ", " + day.title + ": " + day.summary
                   : day.title + ": " + day.summary);
  std::string json_path;
  uint64_t seed = 1;
  app.add_option("--json", json_path, "Write the verdict, gates and counts to this file");
  app.add_option("--seed", seed, "Seed of the random inputs")
      ->capture_default_str()
      ->check([](const std::string& text) {  // CLI11 would wrap -1 around
        return text.starts_with('-') ? text + " is negative; allowed: 0 and up" : std::string();
      });
  app.footer(
      "Exit code: 0 passed (or not run, and it says so), 1 a gate failed, 2 bad usage or "
      "environment.");
  add_options(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    std::cerr << "error: " << error.what() << "\nSee " << argv[0] << " --help\n";
    return 2;
  }
  try {
    return run_on_device(day, json_path, seed, command_line(argc, argv), body);
  } catch (const UsageError& error) {
    std::cerr << "error: " << error.what() << "\n";
  } catch (const CudaError& error) {
    // The emulated runtime has said which setting it cannot use, and what it can.
    if (error.code() == cudaErrorInitializationError && is_emulated_runtime()) return 2;
    std::cerr << "error: " << error.what() << "\n";
    if (error.code() == cudaErrorNoDevice || error.code() == cudaErrorInsufficientDriver) {
      std::cerr << "No usable GPU here. "
                << (day.without_card.empty()
                        ? "`./day run " + day.number + "` runs this day on the emulated device."
                        : day.without_card)
                << "\n";
    }
  } catch (const std::bad_alloc&) {
    std::cerr << "error: this machine ran out of memory; try a smaller size\n";
  }
  return 2;
}

}  // namespace

int run_day(int argc, char** argv, const DayInfo& day,
            const std::function<void(CLI::App&)>& add_options,
            const std::function<void(Session&)>& body) {
  return check_stdout(parse_and_run(argc, argv, day, add_options, body));
}

}  // namespace tcd::harness
