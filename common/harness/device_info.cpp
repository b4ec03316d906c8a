#include "harness/device_info.h"

#include <dlfcn.h>

#include "harness/cuda_error.h"

namespace tcd::harness {

namespace {

// The emulated runtime exports one extra symbol; NVIDIA's has none of that name. Looked up rather
// than linked, so that the same executable runs with either.
using NameFunction = const char* (*)();
NameFunction profile_function() {
  return reinterpret_cast<NameFunction>(dlsym(RTLD_DEFAULT, "tcd_emulated_profile"));
}

}  // namespace

bool is_emulated_runtime() { return profile_function() != nullptr; }

DeviceInfo query_device() {
  DeviceInfo device;
  int count = 0;
  check(cudaGetDeviceCount(&count), "looking for a device");
  check(cudaGetDeviceProperties(&device.properties, 0), "reading the device's properties");
  device.compute = device.properties.major * 10 + device.properties.minor;
  device.emulated = is_emulated_runtime();
  if (device.emulated) device.profile = profile_function()();
  return device;
}

std::string DeviceInfo::description() const {
  std::string line = properties.name;
  return line + ", " + architecture() + ", " + std::to_string(properties.multiProcessorCount) +
         " SMs";
}

}  // namespace tcd::harness
