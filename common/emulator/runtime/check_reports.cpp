#include "runtime/check_reports.h"

#include <set>
#include <string>

#include "runtime/launch_report.h"
#include "runtime/messages.h"

namespace tcd::emu::runtime {

uint64_t tell_reports(const std::vector<LaunchError::Report>& reports) {
  static auto* told =
      new std::set<std::string>;  // lives through exit handlers; launches are serial
  uint64_t news = 0;
  for (const LaunchError::Report& report : reports) {
    if (!told->insert(report.key).second) continue;
    complain("check: " + report.text);
    if (report_wanted()) report_check(report.text);
    ++news;
  }
  return news;
}

}  // namespace tcd::emu::runtime
