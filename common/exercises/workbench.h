// The emulated device with one submission on it. Only its PTX runs; its host code never does.
#pragma once

#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "machine/device.h"
#include "profiles/profile.h"
#include "ptx/ast.h"

namespace tcd::exercises {

// The kernel did not come to its end. what() is the device's own report.
class KernelStopped : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The submission has no such kernel, or one that takes other parameters.
class KernelMissing : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// This machine has no room for the emulated device: no fault of the submission's.
class NoDevice : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Workbench {
 public:
  Workbench(const emu::ptx::Module& module, const std::string& kernel, double timeout_seconds);

  template <class T>
  uint64_t upload(std::span<const T> data) {
    return upload_bytes(data.data(), data.size_bytes());
  }
  void download(uint64_t address, void* to, size_t bytes);

  // params: the parameter block. Throws KernelStopped and KernelMissing.
  void launch(emu::Dim3 grid, uint32_t threads, uint32_t dynamic_shared_bytes,
              std::span<const std::byte> params);

  uint32_t static_shared_bytes() const { return emu::kernel_info(kernel()).static_shared_bytes; }
  const emu::LaunchCounters& counters() const { return counters_; }
  // What the checks found in all launches, each mistake once.
  const std::vector<emu::LaunchError::Report>& reports() const { return reports_; }

 private:
  const emu::Kernel& kernel() const;
  uint64_t upload_bytes(const void* data, size_t bytes);

  emu::Profile profile_;  // the default one with less memory
  emu::Device device_;
  std::unique_ptr<emu::Program> program_;
  std::string kernel_name_;
  double timeout_seconds_;
  emu::LaunchCounters counters_;
  std::vector<emu::LaunchError::Report> reports_;
};

template <class T>
std::span<const std::byte> as_params(const T& block) {
  return std::as_bytes(std::span<const T, 1>(&block, 1));
}

}  // namespace tcd::exercises
