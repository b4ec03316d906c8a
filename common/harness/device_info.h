// Which device a day runs on, and whether it is a card.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

namespace tcd::harness {

struct DeviceInfo {
  cudaDeviceProp properties{};
  int compute = 0;  // 75, 80, 89, 90
  bool emulated = false;
  std::string profile;  // the emulated device's profile name; empty on a card

  std::string architecture() const { return "sm_" + std::to_string(compute); }
  std::string description() const;  // one line: name, architecture, SMs
};

// Whether the executable found the emulated runtime; needs no working device.
bool is_emulated_runtime();

// Asks the runtime for device 0. Throws CudaError when there is none.
DeviceInfo query_device();

}  // namespace tcd::harness
