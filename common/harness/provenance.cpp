#include "harness/provenance.h"

#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "harness/telemetry.h"

namespace tcd::harness {

nlohmann::json provenance(const DeviceInfo& device, const std::string& command) {
  int runtime = 0;
  cudaRuntimeGetVersion(&runtime);
  char date[32];
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::strftime(date, sizeof date, "%Y-%m-%d", &utc);
  nlohmann::json json = {
      {"kind", device.emulated ? "derived" : "measured"},
      {"device", device.properties.name},
      {"architecture", device.architecture()},
      {"sm_count", device.properties.multiProcessorCount},
      {"cuda", std::to_string(runtime / 1000) + "." + std::to_string(runtime % 1000 / 10)},
      {"date", date},
      {"command", command}};
  if (device.emulated) json["profile"] = device.profile;
  if (!device.emulated) {
    json["driver"] = driver_version();
    const CardLimits limits = read_card_limits();
    if (limits.sm_clock_mhz > 0) json["sm_max_mhz"] = limits.sm_clock_mhz;
    if (limits.power_watts > 0) json["power_limit_watts"] = limits.power_watts;
  }
  return json;
}

std::string command_line(int argc, char** argv) {
  std::string line = std::filesystem::path(argv[0]).filename().string();
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.starts_with("--json=")) continue;  // where the file went is nobody's business
    if (argument == "--json") {
      ++i;
      continue;
    }
    line += " " + argument;
  }
  return line;
}

}  // namespace tcd::harness
