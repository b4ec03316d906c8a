// TCD_TRACE: what the first CTA of every launch did, step by step, as CSV.
#pragma once

#include <string>

#include "machine/device.h"

namespace tcd::emu::runtime {

// TCD_TRACE is set. Then launches ask for a timeline.
bool trace_wanted();
// Appends the launch's steps. A file that cannot be written is complained about once.
void trace_launch(const std::string& kernel, const LaunchDetail& detail);

}  // namespace tcd::emu::runtime
