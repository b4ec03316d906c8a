#include "runtime/device_state.h"

#include <memory>

#include "runtime/error_state.h"

namespace tcd::emu::runtime {
namespace {

// Not a static object: exit handlers of the program may still free memory or launch.
std::unique_ptr<Device>& instance() {
  static auto* device = new std::unique_ptr<Device>;
  return *device;
}

}  // namespace

Device& device() {
  if (instance() == nullptr) {
    const Settings& wanted = settings();
    try {
      instance() =
          std::make_unique<Device>(*wanted.profile, wanted.threads, wanted.timeout_seconds);
    } catch (const OutOfDeviceMemory& error) {
      throw ApiError(cudaErrorMemoryAllocation, error.what());
    }
    instance()->set_checks(wanted.checks);
    if (const uint64_t bytes = instance()->memory().capacity();
        bytes < wanted.profile->memory_bytes) {
      note_once(
          "address space is limited (`ulimit -v`, or /proc/sys/vm/overcommit_memory): the "
          "emulated device has " +
          std::to_string(bytes >> 20) + " MiB of memory in place of " +
          std::to_string(wanted.profile->memory_bytes >> 20));
    }
  }
  return *instance();
}

bool device_exists() { return instance() != nullptr; }
void destroy_device() { instance().reset(); }
const Profile& profile() { return *settings().profile; }

}  // namespace tcd::emu::runtime
