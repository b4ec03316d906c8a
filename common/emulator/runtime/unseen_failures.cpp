#include "runtime/unseen_failures.h"

#include <mutex>
#include <thread>
#include <vector>

#include "runtime/messages.h"
#include "runtime/settings.h"

namespace tcd::emu::runtime {
namespace {

struct Failure {
  std::thread::id thread;  // of a refused launch; none: the kernel was stopped
  std::string text;
};

class Failures {
 public:
  ~Failures() {
    if (failures_.empty()) return;
    const std::string more =
        failures_.size() == 1 ? ""
                              : "\n  more    " + std::to_string(failures_.size() - 1) + " after it";
    complain("launch failure never looked at: " + failures_.front().text + more);
  }

  void add(Failure failure) {
    const std::lock_guard lock(mutex_);
    failures_.push_back(std::move(failure));
  }
  void seen(std::thread::id thread) {
    const std::lock_guard lock(mutex_);
    std::erase_if(failures_, [&](const Failure& failure) { return failure.thread == thread; });
  }

 private:
  std::mutex mutex_;
  std::vector<Failure> failures_;
};

Failures& failures() {
  static Failures all;
  return all;
}

bool is_wanted() {
  try {
    return settings().checks.mode != CheckMode::kOff;
  } catch (const SettingsError&) {
    return false;  // every call says what is wrong with the settings
  }
}

}  // namespace

void launch_refused_unseen(const std::string& kernel, cudaError_t error) {
  if (!is_wanted()) return;
  failures().add(
      {std::this_thread::get_id(), kernel + " was refused with " + cudaGetErrorName(error) +
                                       " and did not run\n  next    <<<…>>> returns nothing: call "
                                       "cudaGetLastError() after each launch."});
}

void last_error_seen() { failures().seen(std::this_thread::get_id()); }

void kernel_stopped_unseen(const std::string& kernel, cudaError_t error) {
  if (!is_wanted()) return;
  failures().add({{},
                  kernel + " was stopped by " + cudaGetErrorName(error) +
                      ", and no call waited for it\n  next    Check what cudaDeviceSynchronize() "
                      "returns before the program ends."});
}

void device_error_seen() { failures().seen({}); }

}  // namespace tcd::emu::runtime
