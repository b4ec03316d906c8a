// Day 01, in the order of its page: predict, probe, multiply, compare.
#include "day.h"

#include <CLI/CLI.hpp>
#include <string>

#include "harness/session.h"

int main(int argc, char** argv) {
  const tcd::harness::DayInfo day = {
      "01", "fragment probe",
      "which lane holds which element of an mma.sync tile, and a matmul built on that map", 75};
  std::string n = "2048";
  std::string control;
  auto add_options = [&](CLI::App& app) {
    app.add_option("--n", n, "Size of the matmul, M = N = K; a multiple of 64")
        ->capture_default_str();
    app.add_option(
        "--control", control,
        "Break the run on purpose and see which gate says so: " + tcd::harness::control_names());
  };
  return tcd::harness::run_day(argc, argv, day, add_options, [&](tcd::harness::Session& session) {
    const int size = tcd::harness::parse_size("--n", n, 64);
    const day::Control mistake = tcd::harness::parse_control(control);
    day::require_memory_for(size);
    day::probe_m16n8k8(session, mistake);
    day::probe_m16n8k16(session);
    day::probe_wmma(session);
    day::gate_matmuls(session, size, mistake);
  });
}
