// Runs every mistake on the device this process has, and asks who noticed.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "checks/tests/mistakes/mistake.h"

// One program, run in a process of its own: one process says of a source line only once what is
// wrong with it, and after a fault it has no device any more.
struct Run {
  Outcome outcome;
  bool crashed = false;              // the host program; nobody's mistake here does that
  std::vector<std::string> reports;  // of the emulated device, without "tcd: check: "
};
Run run_apart(const Mistake& mistake, bool wrong);

// Which report names the mistake as it promises, at its line; -1: none, or none is promised.
int telling_report(const Mistake& mistake, const Run& run);
// "gemm.cuh:123": where a comment "// reported: MARK" stands. Reads the sources: run it from the
// root of the repository. Throws std::runtime_error when there is no such line.
std::string marked_place(const std::string& mark);
// {"name", "what", "caught_by", "line", "result"}: a row of the table.
nlohmann::json row_of(const Mistake& mistake, const Run& run);
