#include "runtime/device_state.h"

#include <memory>

#include "runtime/settings.h"

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
    instance() = std::make_unique<Device>(*wanted.profile, wanted.threads, wanted.timeout_seconds);
    instance()->set_checks(wanted.checks);
  }
  return *instance();
}

bool device_exists() { return instance() != nullptr; }
void destroy_device() { instance().reset(); }
const Profile& profile() { return *settings().profile; }

}  // namespace tcd::emu::runtime
