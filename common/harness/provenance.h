// Where a figure comes from: every JSON the project commits carries this.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "harness/device_info.h"

namespace tcd::harness {

// {"kind": "measured" on a card, "derived" on the emulated device; device, architecture, driver,
// cuda, date (UTC), command; on a card its highest SM clock and its power limit}. The command is
// what was typed, without the folders before it.
nlohmann::json provenance(const DeviceInfo& device, const std::string& command);

// "day01 --n 2048" from argv.
std::string command_line(int argc, char** argv);

}  // namespace tcd::harness
