// The numbers a program can ask about the device, from its profile.
#pragma once

#include <optional>

#include "profiles/profile.h"
#include "runtime/cuda_api.h"

namespace tcd::emu::runtime {

// nullopt: an attribute this table does not know. Texture limits are reported as 0: textures are
// not emulated, and a program that asks first then finds out.
std::optional<int> device_attribute(const Profile& gpu, cudaDeviceAttr attribute);

}  // namespace tcd::emu::runtime
