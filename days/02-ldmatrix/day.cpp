// Day 02, in the order of its page: probe, multiply, count, compare with yesterday.
#include "day.h"

#include <CLI/CLI.hpp>
#include <string>

#include "harness/session.h"

int main(int argc, char** argv) {
  const tcd::harness::DayInfo day = {
      "02", "ldmatrix", "whole fragments in one load, and what it does not do for you", 75};
  std::string n = "2048";
  std::string control, demo;
  auto add_options = [&](CLI::App& app) {
    app.add_option("--n", n, "Size of the matmul, M = N = K; a multiple of 64")
        ->capture_default_str();
    app.add_option("--demo", demo,
                   "Break one address rule of ldmatrix and see what happens; nothing else runs: " +
                       day::address_demo_names());
    app.add_option(
        "--control", control,
        "Break the run on purpose and see which gate says so: " + tcd::harness::control_names());
  };
  return tcd::harness::run_day(argc, argv, day, add_options, [&](tcd::harness::Session& session) {
    if (!demo.empty()) return day::run_address_demo(session, demo);
    const int size = tcd::harness::parse_size("--n", n, 64);
    const day::Control mistake = tcd::harness::parse_control(control);
    day::require_memory_for(size);
    day::probe_ldmatrix(session, mistake);
    day::gate_matmuls(session, size, mistake);
  });
}
