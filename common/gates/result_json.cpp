#include "gates/result_json.h"

#include <nlohmann/json.hpp>

namespace tcd {

nlohmann::json to_json(const GateResult& result) {
  return {{"name", result.name()},
          {"passed", result.passed()},
          {"checked", result.checked()},
          {"lines", result.lines()}};
}

nlohmann::json to_json(const Report& report) {
  nlohmann::json json = {{"passed", report.all_passed()},
                         {"gates", nlohmann::json::array()},
                         {"not_run", nlohmann::json::array()}};
  for (const GateResult& gate : report.gates()) json["gates"].push_back(to_json(gate));
  for (const Report::Skipped& skipped : report.skipped()) {
    json["not_run"].push_back({{"name", skipped.name}, {"reason", skipped.reason}});
  }
  return json;
}

}  // namespace tcd
