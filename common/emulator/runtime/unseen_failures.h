// Launches that failed, and nobody asked. <<<…>>> returns nothing: without cudaGetLastError() a
// refused kernel is as quiet as one that has run. Said once, when the process ends.
#pragma once

#include <string>

#include "runtime/cuda_api.h"

namespace tcd::emu::runtime {

// By <<<…>>>, on this thread. Seen when the thread asks for its last error.
void launch_refused_unseen(const std::string& kernel, cudaError_t error);
void last_error_seen();
// While it ran. Seen when a call that waits for the device returns it.
void kernel_stopped_unseen(const std::string& kernel, cudaError_t error);
void device_error_seen();

}  // namespace tcd::emu::runtime
