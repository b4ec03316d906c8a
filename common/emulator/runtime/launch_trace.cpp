#include "runtime/launch_trace.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "runtime/messages.h"

namespace tcd::emu::runtime {
namespace {

const char* trace_file() {
  static const char* const name = std::getenv("TCD_TRACE");
  return name != nullptr && *name != '\0' ? name : nullptr;
}

// Opened at the first launch, so that a program without one leaves an old file alone.
std::FILE* opened_trace() {
  static std::FILE* const file = [] {
    std::FILE* made = std::fopen(trace_file(), "w");
    if (made == nullptr) {
      complain_once("TCD_TRACE=" + std::string(trace_file()) +
                    " cannot be written: " + std::strerror(errno) + "; no trace");
    } else {
      std::fputs("launch,kernel,warp,step,pending,first,last,count\n", made);
    }
    return made;
  }();
  return file;
}

// As a field of CSV: names of templates hold commas.
std::string csv_field(const std::string& text) {
  std::string field = "\"";
  for (const char c : text) field += c == '"' ? "\"\"" : std::string(1, c);
  return field + "\"";
}

}  // namespace

bool trace_wanted() { return trace_file() != nullptr; }

void trace_launch(const std::string& kernel, const LaunchDetail& detail) {
  std::FILE* const file = opened_trace();
  if (file == nullptr) return;
  static unsigned launches = 0;
  ++launches;
  const std::string name = csv_field(kernel);
  for (const StepRun& run : detail.timeline) {
    std::fprintf(file, "%u,%s,%u,%s,%lld,%llu,%llu,%llu\n", launches, name.c_str(), run.warp,
                 name_of(run.step), static_cast<long long>(run.pending),
                 static_cast<unsigned long long>(run.first),
                 static_cast<unsigned long long>(run.last),
                 static_cast<unsigned long long>(run.count));
  }
  std::fflush(file);
}

}  // namespace tcd::emu::runtime
