// A device with one submission on it: the emulated one, or a card. Only its PTX runs; its host code
// never does.
#pragma once

#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "machine/device.h"
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

// No card here, or no room for the emulated device: no fault of the submission's.
class NoDevice : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// What only the emulated device sees, over all launches.
struct Observed {
  emu::LaunchCounters counters;
  std::vector<emu::LaunchError::Report> reports;  // of the checks, each mistake once
};

class Workbench {
 public:
  virtual ~Workbench() = default;

  template <class T>
  uint64_t upload(std::span<const T> data) {
    return upload_bytes(data.data(), data.size_bytes());
  }
  virtual void download(uint64_t address, void* to, size_t bytes) = 0;

  // params: the parameter block. Throws KernelStopped and KernelMissing.
  virtual void launch(emu::Dim3 grid, uint32_t threads, uint32_t dynamic_shared_bytes,
                      std::span<const std::byte> params) = 0;

  virtual uint32_t static_shared_bytes() const = 0;
  virtual const Observed* observed() const { return nullptr; }

 protected:
  virtual uint64_t upload_bytes(const void* data, size_t bytes) = 0;
};

// A kernel is stopped after timeout_seconds. Both throw KernelMissing and NoDevice.
std::unique_ptr<Workbench> emulated_bench(const emu::ptx::Module& module, const std::string& kernel,
                                          double timeout_seconds);
// ptx: what `module` was read from; the driver makes machine code of it.
std::unique_ptr<Workbench> card_bench(const std::string& ptx, const emu::ptx::Module& module,
                                      const std::string& kernel, double timeout_seconds);

// Words that both share.
KernelMissing no_such_kernel(const std::string& kernel);
KernelMissing other_parameters(const std::string& kernel, uint64_t wanted, size_t passed);

template <class T>
std::span<const std::byte> as_params(const T& block) {
  return std::as_bytes(std::span<const T, 1>(&block, 1));
}

}  // namespace tcd::exercises
