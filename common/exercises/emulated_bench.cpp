#include <algorithm>

#include "exercises/workbench.h"
#include "profiles/profile.h"

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

class EmulatedBench final : public Workbench {
 public:
  EmulatedBench(const emu::ptx::Module& module, const std::string& kernel, double timeout_seconds)
      : profile_(small_device()),
        device_(make_device(profile_, timeout_seconds)),
        program_(device_.load(module)),
        kernel_(program_->find_kernel(kernel)),
        kernel_name_(kernel),
        timeout_seconds_(timeout_seconds) {
    if (kernel_ == nullptr) throw no_such_kernel(kernel);
  }

  void download(uint64_t address, void* to, size_t bytes) override {
    std::memcpy(to, device_.memory().host_view(address, bytes, emu::DeviceMemory::HostUse::kRead),
                bytes);
  }

  void launch(emu::Dim3 grid, uint32_t threads, uint32_t dynamic_shared_bytes,
              std::span<const std::byte> params) override {
    const uint32_t wanted = emu::kernel_info(*kernel_).param_bytes;
    if (wanted != params.size()) throw other_parameters(kernel_name_, wanted, params.size());
    emu::LaunchRequest request;
    request.kernel = kernel_;
    request.grid = grid;
    request.block = {threads, 1, 1};
    request.dynamic_shared_bytes = dynamic_shared_bytes;
    request.params = params;
    emu::LaunchCounters counters;
    const emu::LaunchError error = device_.launch(request, &counters);
    observed_.counters += counters;
    for (const auto& report : error.reports) keep(report);
    if (error.fault == emu::Fault::kTimeout) {
      throw KernelStopped(without_advice(error.message, timeout_seconds_));
    }
    if (error.fault != emu::Fault::kNone) throw KernelStopped(error.message);
  }

  uint32_t static_shared_bytes() const override {
    return emu::kernel_info(*kernel_).static_shared_bytes;
  }
  const Observed* observed() const override { return &observed_; }

 private:
  uint64_t upload_bytes(const void* data, size_t bytes) override {
    const uint64_t address = device_.memory().allocate(bytes);
    if (address == 0) throw std::runtime_error("the emulated device is out of memory");
    std::memcpy(device_.memory().host_view(address, bytes), data, bytes);
    return address;
  }

  void keep(const emu::LaunchError::Report& report) {
    const bool known = std::any_of(observed_.reports.begin(), observed_.reports.end(),
                                   [&](const auto& r) { return r.key == report.key; });
    if (!known) observed_.reports.push_back(report);
  }

  emu::Profile profile_;  // the default one with less memory
  emu::Device device_;
  std::unique_ptr<emu::Program> program_;
  const emu::Kernel* kernel_;
  std::string kernel_name_;
  double timeout_seconds_;
  Observed observed_;
};

}  // namespace

std::unique_ptr<Workbench> emulated_bench(const emu::ptx::Module& module, const std::string& kernel,
                                          double timeout_seconds) {
  return std::make_unique<EmulatedBench>(module, kernel, timeout_seconds);
}

}  // namespace tcd::exercises
