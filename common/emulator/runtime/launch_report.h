// TCD_REPORT: where the counters of every launch go.
#pragma once

#include "counters/report.h"

namespace tcd::emu::runtime {

// TCD_REPORT is set. Then launches ask for detail, too.
bool report_wanted();
// TCD_REPORT=-: text on stderr at once. TCD_REPORT=name.json: one JSON document when the process
// exits. Any other name: text, launch by launch. A file that cannot be written is complained about
// once and the program goes on.
void report_launch(LaunchReport launch);
// What people were told on stderr, for the JSON document.
void report_check(const std::string& text);
void report_fault(const std::string& text);

}  // namespace tcd::emu::runtime
