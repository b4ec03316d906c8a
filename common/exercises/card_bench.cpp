// A card. It runs the PTX as the driver translates it; it counts nothing that a manifest has a bar
// for, and says of a mistake that it happened, not where.
#include <chrono>
#include <thread>

#include "exercises/cuda_driver.h"
#include "exercises/workbench.h"

namespace tcd::exercises {
namespace {

// From cuda.h.
constexpr int kErrorLog = 5, kErrorLogBytes = 6;  // options of the translation
constexpr int kSharedSize = 1, kMaxDynamicShared = 8;
constexpr int kOutOfMemory = 2, kUnsupportedPtx = 222;

uint64_t parameter_bytes(const emu::ptx::Module& module, const std::string& kernel) {
  for (const auto& function : module.functions) {
    if (!function.is_entry || function.name != kernel) continue;
    uint64_t bytes = 0;
    for (const auto& p : function.params) {
      bytes = (bytes + p.align - 1) / p.align * p.align + p.size;
    }
    return bytes;
  }
  throw no_such_kernel(kernel);
}

class CardBench final : public Workbench {
 public:
  CardBench(const std::string& ptx, const emu::ptx::Module& module, const std::string& kernel,
            double timeout_seconds)
      : parameter_bytes_(parameter_bytes(module, kernel)),
        kernel_name_(kernel),
        timeout_seconds_(timeout_seconds) {
    if (driver_.card.compute < module.target) {
      throw NoDevice(driver_.card.name + " is sm_" + std::to_string(driver_.card.compute) +
                     ", the submissions are compiled for sm_" + std::to_string(module.target));
    }
    char log[4096] = {};
    int options[] = {kErrorLog, kErrorLogBytes};
    void* values[] = {log, reinterpret_cast<void*>(sizeof log - 1)};
    const int error = driver_.module_load(&module_, ptx.c_str(), 2, options, values);
    if (error == kUnsupportedPtx) {
      throw NoDevice("the driver of this machine supports CUDA " + cuda_version() +
                     ", older than the toolkit that wrote the PTX");
    }
    if (error != kCudaSuccess) {
      throw std::runtime_error("the driver does not take the PTX: " + driver_.describe(error) +
                               "\n" + log);
    }
    need(driver_.module_function(&function_, module_, kernel.c_str()), "the kernel");
    // Now: after a wild address the context answers nothing any more.
    need(driver_.function_attribute(&static_shared_bytes_, kSharedSize, function_),
         "the kernel's shared memory");
  }

  CardBench(const CardBench&) = delete;
  CardBench& operator=(const CardBench&) = delete;

  ~CardBench() override {
    if (stopped_) return;  // the context is lost, or busy for ever: it ends with the process
    for (const uint64_t address : allocations_) driver_.release(address);
    driver_.module_unload(module_);
  }

  void download(uint64_t address, void* to, size_t bytes) override {
    need(driver_.copy_to_host(to, address, bytes), "copying from the card");
  }

  void launch(emu::Dim3 grid, uint32_t threads, uint32_t dynamic_shared_bytes,
              std::span<const std::byte> params) override {
    if (parameter_bytes_ != params.size()) {
      throw other_parameters(kernel_name_, parameter_bytes_, params.size());
    }
    need(driver_.set_function_attribute(function_, kMaxDynamicShared,
                                        static_cast<int>(dynamic_shared_bytes)),
         "shared memory");
    size_t size = params.size();
    // The ends of the list are CU_LAUNCH_PARAM_BUFFER_POINTER, _SIZE and _END: 1, 2 and 0.
    void* extra[] = {reinterpret_cast<void*>(1), const_cast<std::byte*>(params.data()),
                     reinterpret_cast<void*>(2), &size, nullptr};
    need(driver_.launch(function_, grid.x, grid.y, grid.z, threads, 1, 1, dynamic_shared_bytes,
                        nullptr, nullptr, extra),
         "the launch");
    wait();
  }

  uint32_t static_shared_bytes() const override {
    return static_cast<uint32_t>(static_shared_bytes_);
  }

 private:
  uint64_t upload_bytes(const void* data, size_t bytes) override {
    uint64_t address = 0;
    const int error = driver_.allocate(&address, bytes);
    if (error == kOutOfMemory) throw NoDevice("the card is out of memory: who else uses it?");
    need(error, "memory of the card");
    allocations_.push_back(address);
    need(driver_.copy_to_device(address, data, bytes), "copying to the card");
    return address;
  }

  // A kernel cannot be taken back from a card: it is left to itself, and ends with the process.
  void wait() {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::duration<double>(timeout_seconds_);
    for (;;) {
      const int error = driver_.stream_query(nullptr);
      if (error != kCudaNotReady) return need(error, "the kernel");
      if (Clock::now() > end) break;
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    stopped_ = true;
    throw KernelStopped(kernel_name_ + " had not come to its end after " +
                        std::to_string(static_cast<int>(timeout_seconds_)) +
                        " s on the card\nnext    A loop that does not end? A barrier that some "
                        "threads never reach? The emulated device says where");
  }

  void need(int error, const char* what) {
    if (error == kCudaSuccess) return;
    stopped_ = true;
    throw KernelStopped(std::string(what) + ": " + driver_.describe(error) +
                        "\nnext    A card does not say where. The emulated device does");
  }

  std::string cuda_version() const {
    const int number = driver_.card.cuda;
    return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
  }

  const CudaDriver& driver_ = CudaDriver::instance();
  void* module_ = nullptr;
  void* function_ = nullptr;
  uint64_t parameter_bytes_;
  int static_shared_bytes_ = 0;
  std::vector<uint64_t> allocations_;
  std::string kernel_name_;
  double timeout_seconds_;
  bool stopped_ = false;
};

}  // namespace

std::unique_ptr<Workbench> card_bench(const std::string& ptx, const emu::ptx::Module& module,
                                      const std::string& kernel, double timeout_seconds) {
  return std::make_unique<CardBench>(ptx, module, kernel, timeout_seconds);
}

}  // namespace tcd::exercises
