// Day 00, in the order of its page: limits, what the tensor cores issue, what memory delivers,
// traps.
#include "day.h"

#include <CLI/CLI.hpp>
#include <string>

namespace {

void require_steps(int steps) {
  if (steps >= day::kStepsMultiple && steps <= day::kMostSteps &&
      steps % day::kStepsMultiple == 0) {
    return;
  }
  throw tcd::harness::UsageError(
      "--steps " + std::to_string(steps) + " is not a multiple of " +
      std::to_string(day::kStepsMultiple) + " from " + std::to_string(day::kStepsMultiple) +
      " to " + std::to_string(day::kMostSteps) + " (beyond, FP16 accumulators round)");
}

}  // namespace

int main(int argc, char** argv) {
  const tcd::harness::DayInfo info = {
      "00", "roofs", "what this device can do: its limits, its mma issue rates, DRAM and L2", 75};
  int steps = 0, mebibytes = 0;
  std::string control;
  auto add_options = [&](CLI::App& app) {
    app.add_option(
        "--steps", steps,
        "mma of each chain, a multiple of 16 up to 2032; default 2032 on a card, 16 on the "
        "emulated device");
    app.add_option("--mib", mebibytes,
                   "Size of each memory buffer in MiB; default 16 times L2 on a card, 8 MiB on the "
                   "emulated device")
        ->check(CLI::Range(1, 65536));
    app.add_option("--control", control,
                   "Break the run on purpose and see which gate says so: " + day::control_names());
  };
  return tcd::harness::run_day(argc, argv, info, add_options, [&](tcd::harness::Session& session) {
    if (steps == 0) steps = session.emulated() ? day::kStepsMultiple : day::kMostSteps;
    require_steps(steps);
    const day::Control mistake = day::parse_control(control);
    day::show_limits(session);
    const day::Roofs roofs = day::measure_issue_rates(session, steps, mistake);
    day::measure_memory(session, mebibytes, mistake);
    day::explain_traps(session, roofs);
  });
}
