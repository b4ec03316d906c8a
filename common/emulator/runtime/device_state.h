// The one emulated device of this process, created when something first needs it.
#pragma once

#include "machine/device.h"

namespace tcd::emu::runtime {

Device& device();          // throws SettingsError
bool device_exists();      // false until device() was called, and again after a reset
void destroy_device();     // cudaDeviceReset: programs must be gone before
const Profile& profile();  // costs no device; throws SettingsError

}  // namespace tcd::emu::runtime
