// A report as JSON, for --json. Apart from result.h, because the JSON header is slow to compile.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "gates/result.h"

namespace tcd {

// {"name", "passed", "checked", "lines": […]}
nlohmann::json to_json(const GateResult& result);
// {"passed", "gates": […], "not_run": [{"name", "reason"}]}
nlohmann::json to_json(const Report& report);

}  // namespace tcd
