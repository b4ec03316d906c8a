#include "harness/device_info.h"

#include <dlfcn.h>

#include "harness/cuda_error.h"

namespace tcd::harness {

namespace {

// The emulated runtime exports one extra symbol; NVIDIA's has none of that name. Looked up rather
// than linked, so that the same executable runs with either.
std::string emulated_profile() {
  using NameFunction = const char* (*)();
  auto name = reinterpret_cast<NameFunction>(dlsym(RTLD_DEFAULT, "tcd_emulated_profile"));
  return name ? name() : "";
}

}  // namespace

DeviceInfo query_device() {
  DeviceInfo device;
  int count = 0;
  check(cudaGetDeviceCount(&count), "looking for a device");
  check(cudaGetDeviceProperties(&device.properties, 0), "reading the device's properties");
  device.compute = device.properties.major * 10 + device.properties.minor;
  device.profile = emulated_profile();
  device.emulated = !device.profile.empty();
  return device;
}

std::string DeviceInfo::description() const {
  std::string line = properties.name;
  return line + ", " + architecture() + ", " + std::to_string(properties.multiProcessorCount) +
         " SMs";
}

}  // namespace tcd::harness
