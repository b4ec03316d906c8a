#include "checks/settings.h"

#include <stdexcept>
#include <string>

namespace tcd::emu {

CheckSettings parse_checks(std::string_view text) {
  CheckSettings chosen, all;
  chosen.races = chosen.async = chosen.uninitialised = chosen.barriers = false;
  bool named = false;
  for (std::string_view rest = text; !rest.empty();) {
    const size_t comma = rest.find(',');
    const std::string_view word = rest.substr(0, comma);
    rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
    if (word == "off" || word == "report" || word == "stop") {
      all.mode = word == "off"    ? CheckMode::kOff
                 : word == "stop" ? CheckMode::kStop
                                  : CheckMode::kReport;
      continue;
    }
    bool* const check = word == "races"           ? &chosen.races
                        : word == "async"         ? &chosen.async
                        : word == "uninitialised" ? &chosen.uninitialised
                        : word == "barriers"      ? &chosen.barriers
                                                  : nullptr;
    if (check == nullptr) {
      throw std::invalid_argument("\"" + std::string(word) +
                                  "\" is no check: say off, report or stop, and perhaps some of "
                                  "races, async, uninitialised, barriers, with commas between");
    }
    *check = named = true;
  }
  if (!named) return all;
  chosen.mode = all.mode;
  return chosen;
}

}  // namespace tcd::emu
