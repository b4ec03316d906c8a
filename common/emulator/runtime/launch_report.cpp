#include "runtime/launch_report.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "runtime/device_state.h"
#include "runtime/messages.h"

namespace tcd::emu::runtime {
namespace {

const char* destination() {
  static const char* const name = std::getenv("TCD_REPORT");
  return name != nullptr && *name != '\0' ? name : nullptr;
}

bool is_json(const std::string& name) { return name.ends_with(".json"); }

// Opened at the first launch, so that a program without one leaves an old report alone.
class Destination {
 public:
  Destination() : name_(destination()), document_(profile()) {
    if (name_ == "-") {
      file_ = stderr;
    } else if (file_ = std::fopen(name_.c_str(), "w"); file_ == nullptr) {
      complain_once("TCD_REPORT=" + name_ + " cannot be written: " + std::strerror(errno) +
                    "; no report");
    }
  }
  Destination(const Destination&) = delete;

  // What is launched later, by destructors of static objects, is in no report.
  void finish() {
    if (file_ == nullptr) return;
    if (is_json(name_)) write(document_.text());
    if (file_ != stderr) std::fclose(file_);
    file_ = nullptr;
  }

  void add(LaunchReport& launch) {
    launch.number = ++launches_;
    if (is_json(name_)) {
      document_.add(launch);
    } else {
      write(report_text(launch, profile()));
    }
  }
  ProcessReport& document() { return document_; }

 private:
  void write(const std::string& text) {
    if (file_ == nullptr) return;
    std::fflush(stdout);
    std::fwrite(text.data(), 1, text.size(), file_);
    std::fflush(file_);
  }

  std::string name_;
  std::FILE* file_ = nullptr;
  ProcessReport document_;  // JSON
  uint64_t launches_ = 0;
};

Destination& the_destination() {
  static auto* destination = [] {
    auto* made = new Destination;
    std::atexit([] { the_destination().finish(); });
    return made;
  }();
  return *destination;
}

}  // namespace

bool report_wanted() { return destination() != nullptr; }

void report_launch(LaunchReport launch) { the_destination().add(launch); }
void report_check(const std::string& text) { the_destination().document().add_check(text); }
void report_fault(const std::string& text) { the_destination().document().add_fault(text); }

}  // namespace tcd::emu::runtime
