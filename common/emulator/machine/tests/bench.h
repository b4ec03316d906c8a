// A workbench for tests: PTX text in, launch, memory out.
#pragma once

#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "machine/device.h"
#include "ptx/parser.h"

namespace tcd::emu {

// Parameters of a kernel, appended at their natural alignment.
class Params {
 public:
  template <class T>
  Params& add(T value) {
    bytes_.resize((bytes_.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T));
    const size_t at = bytes_.size();
    bytes_.resize(at + sizeof(T));
    std::memcpy(bytes_.data() + at, &value, sizeof(T));
    return *this;
  }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

class Bench {
 public:
  explicit Bench(const std::string& ptx, int threads = 1, const char* gpu = "rtx4060-laptop",
                 double timeout = 0)
      : device(*find_profile(gpu), threads, timeout), program(device.load(ptx::parse(ptx))) {}

  template <class T>
  uint64_t upload(const std::vector<T>& data) {
    const uint64_t address = device.memory().allocate(data.size() * sizeof(T));
    std::memcpy(device.memory().host_view(address, data.size() * sizeof(T)), data.data(),
                data.size() * sizeof(T));
    return address;
  }
  template <class T>
  std::vector<T> download(uint64_t address, size_t count) {
    std::vector<T> data(count);
    std::memcpy(data.data(), device.memory().host_view(address, count * sizeof(T)),
                count * sizeof(T));
    return data;
  }
  LaunchError launch(const char* kernel, Dim3 grid, Dim3 block, const Params& params,
                     uint32_t shared = 0, bool cooperative = false) {
    LaunchRequest r;
    r.kernel = program->find_kernel(kernel);
    if (r.kernel == nullptr) throw std::runtime_error(std::string("no kernel ") + kernel);
    r.grid = grid;
    r.block = block;
    r.dynamic_shared_bytes = shared;
    r.cooperative = cooperative;
    r.params = params.bytes();
    return device.launch(r, &counters);
  }

  Device device;
  std::unique_ptr<Program> program;
  LaunchCounters counters;
};

}  // namespace tcd::emu
