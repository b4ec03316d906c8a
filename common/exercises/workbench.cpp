#include "exercises/workbench.h"

#include <algorithm>

namespace tcd::exercises {
namespace {

// The runtime's advice to allow more time is none here: no exercise takes a second.
std::string without_advice(const std::string& message, double seconds) {
  return message.substr(0, message.find("\n  next ")) + "\n  next    A loop that does not end? " +
         "A kernel is stopped after " + std::to_string(static_cast<int>(seconds)) +
         " s; a right one is done in well under one.";
}

// An exercise needs a few MiB. What a submission allocates beyond this it does not get, and a
// device of this size fits under the limits of a grading.
constexpr uint64_t kDeviceBytes = uint64_t{256} << 20;

emu::Profile small_device() {
  emu::Profile profile = *emu::find_profile(emu::kDefaultProfile);
  profile.memory_bytes = kDeviceBytes;
  return profile;
}

emu::Device make_device(const emu::Profile& profile, double timeout_seconds) {
  try {
    return emu::Device(profile, 0, timeout_seconds);
  } catch (const std::exception& error) {
    throw NoDevice(error.what());
  }
}

}  // namespace

Workbench::Workbench(const emu::ptx::Module& module, const std::string& kernel,
                     double timeout_seconds)
    : profile_(small_device()),
      device_(make_device(profile_, timeout_seconds)),
      program_(device_.load(module)),
      kernel_name_(kernel),
      timeout_seconds_(timeout_seconds) {
  this->kernel();
}

const emu::Kernel& Workbench::kernel() const {
  const emu::Kernel* found = program_->find_kernel(kernel_name_);
  if (found == nullptr) {
    throw KernelMissing("submission.cuh has no kernel called " + kernel_name_ +
                        "; keep its `extern \"C\" __global__` line as it was");
  }
  return *found;
}

uint64_t Workbench::upload_bytes(const void* data, size_t bytes) {
  const uint64_t address = device_.memory().allocate(bytes);
  if (address == 0) throw std::runtime_error("the emulated device is out of memory");
  std::memcpy(device_.memory().host_view(address, bytes), data, bytes);
  return address;
}

void Workbench::download(uint64_t address, void* to, size_t bytes) {
  std::memcpy(to, device_.memory().host_view(address, bytes, emu::DeviceMemory::HostUse::kRead),
              bytes);
}

void Workbench::launch(emu::Dim3 grid, uint32_t threads, uint32_t dynamic_shared_bytes,
                       std::span<const std::byte> params) {
  emu::LaunchRequest request;
  request.kernel = &kernel();
  const uint32_t wanted = emu::kernel_info(*request.kernel).param_bytes;
  if (wanted != params.size()) {
    throw KernelMissing(kernel_name_ + " takes " + std::to_string(wanted) +
                        " bytes of parameters, the checker passes " +
                        std::to_string(params.size()) + "; keep its parameters as they were");
  }
  request.grid = grid;
  request.block = {threads, 1, 1};
  request.dynamic_shared_bytes = dynamic_shared_bytes;
  request.params = params;
  emu::LaunchCounters counters;
  const emu::LaunchError error = device_.launch(request, &counters);
  counters_ += counters;
  for (const auto& report : error.reports) {
    const bool known = std::any_of(reports_.begin(), reports_.end(),
                                   [&](const auto& r) { return r.key == report.key; });
    if (!known) reports_.push_back(report);
  }
  if (error.fault == emu::Fault::kTimeout) {
    throw KernelStopped(without_advice(error.message, timeout_seconds_));
  }
  if (error.fault != emu::Fault::kNone) throw KernelStopped(error.message);
}

}  // namespace tcd::exercises
