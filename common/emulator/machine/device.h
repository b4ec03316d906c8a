// The emulated device as the runtime sees it: memory, modules, launches. No CUDA headers here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "checks/settings.h"
#include "counters/totals.h"
#include "profiles/profile.h"
#include "ptx/ast.h"

namespace tcd::emu {

// What stopped a kernel. The runtime maps it to a cudaError_t; `message` is for people.
enum class Fault : uint8_t {
  kNone,
  kIllegalAddress,  // out of bounds, use after free, host pointer
  kMisalignedAddress,
  kIllegalInstruction,  // e.g. needs a newer compute capability
  kUnsupported,         // the emulator lacks it: opcode named in the message
  kTrap,
  kAssert,
  kDeadlock,  // barrier never completes: who waits where
  kTimeout,
  kCheck,                 // a check found a mistake, and checks are to stop the kernel
  kInvalidConfiguration,  // grid/block/shared memory the device cannot run
};

struct LaunchError {
  Fault fault = Fault::kNone;
  std::string message;  // several lines: what, kernel, file:line (outermost, innermost), CTA, warp,
                        // lane, address
  // What the checks found while the kernel went on, in the same style. The key says finding and
  // source line: equal keys of several launches are one mistake.
  struct Report {
    std::string key, text;
  };
  std::vector<Report> reports = {};
};

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t{x} * y * z; }
};

// Device memory. Device addresses are not host addresses: they lie in a reserved, inaccessible
// range, so a host dereference of a device pointer faults as it does beside a card.
class DeviceMemory {
 public:
  explicit DeviceMemory(uint64_t bytes);
  ~DeviceMemory();
  uint64_t allocate(uint64_t bytes, uint64_t align = 256);  // 0: out of device memory
  bool release(uint64_t address);  // false: not the start of a live allocation
  // Makes host memory (pinned, managed) reachable from kernels at its own address.
  void map_host(void* host, uint64_t bytes);
  void unmap_host(void* host);
  // Host view of [address, address+bytes) or nullptr when that is not inside one live allocation.
  // What is viewed for writing counts as written.
  enum class HostUse : uint8_t { kRead, kWrite };
  std::byte* host_view(uint64_t address, uint64_t bytes, HostUse use = HostUse::kWrite);
  bool is_device_address(uint64_t address) const;  // inside the reserved range, live or not
  uint64_t used() const;
  uint64_t capacity() const;
  struct Impl;
  Impl& impl() { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

// A module's variables do not fit.
struct OutOfDeviceMemory : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Kernel;  // decoded, owned by Program

// One loaded PTX module, decoded for this device.
class Program {
 public:
  ~Program();
  const Kernel* find_kernel(std::string_view mangled_name) const;  // nullptr: none
  // Address and size of a module-scope .global/.const variable; nullopt: none.
  struct Symbol {
    uint64_t address;
    uint64_t size;
  };
  std::optional<Symbol> find_symbol(std::string_view name) const;
  struct Impl;
  Impl& impl() { return *impl_; }
  explicit Program(std::unique_ptr<Impl> impl);

 private:
  std::unique_ptr<Impl> impl_;
};

struct KernelInfo {
  std::string name;
  struct Param {
    uint32_t offset, size, align;
  };
  std::vector<Param> params;  // layout of the parameter block
  uint32_t param_bytes = 0;
  uint32_t static_shared_bytes = 0;
  uint32_t local_bytes = 0;  // per thread, as declared in PTX
  uint32_t max_threads = 0;  // from .maxntid/.reqntid, 0: none
  uint32_t required_threads[3] = {0, 0, 0};
  int ptx_target = 0;  // 75, 80, …
};
const KernelInfo& kernel_info(const Kernel& kernel);

struct LaunchRequest {
  const Kernel* kernel = nullptr;
  Dim3 grid, block;
  uint32_t dynamic_shared_bytes = 0;
  bool cooperative = false;      // all CTAs resident: grid barriers allowed
  bool model_caches = false;     // with a detail: L1, L2 and DRAM too (counters/cache_model.h)
  bool record_timeline = false;  // with a detail: what the first CTA's warps did, in order
  uint64_t resident_per_sm = 0;  // CTAs, for that model; 0: as the machine counts, which knows no
                                 // registers
  std::span<const std::byte> params;  // the parameter block, laid out as KernelInfo::params says
};

// Totals of one launch, independent of thread count. Grows with counters/.
struct LaunchCounters {
  uint64_t warp_instructions = 0;
  uint64_t hmma_m16n8k8 = 0, hmma_m16n8k16 = 0;
  uint64_t mma_bf16 = 0, mma_tf32 = 0, mma_fp8 = 0, mma_f64 = 0, mma_integer = 0;  // any shape
  uint64_t mma_proven = 0;  // of the FP16 ones: the sum was proven exact, and so taken the fast way
  uint64_t wmma = 0;        // wmma.mma, any shape
  uint64_t ldmatrix = 0;
  uint64_t global_loads = 0, global_stores = 0;          // warp instructions, not bytes
  uint64_t shared_loads = 0, shared_stores = 0;          // ldmatrix is not among them
  uint64_t atomics = 0, async_copies = 0, barriers = 0;  // barriers: one per warp that arrives
  uint64_t check_reports = 0;                            // distinct findings and source lines
  TotalsByKind memory{};  // wavefronts, sectors, bytes; the counts above by kind come from here

  LaunchCounters& operator+=(const LaunchCounters& other);
};

class Device {
 public:
  // threads: host threads that run CTAs; 0 = all cores. timeout_seconds: 0 = none.
  Device(const Profile& profile, int threads, double timeout_seconds);
  ~Device();
  const Profile& profile() const;
  DeviceMemory& memory();
  void set_checks(const CheckSettings& settings);  // default: all, reporting
  // Decodes every kernel lazily: an unsupported opcode complains when its kernel is launched, not
  // at load, because one fat binary holds kernels the program may never run. Throws
  // ptx::ParseError for what no device could hold, OutOfDeviceMemory for what this one cannot.
  std::unique_ptr<Program> load(const ptx::Module& module);
  // Runs to completion. printf output goes to stdout in CTA order per thread of execution.
  // detail: asks for more than counters, which takes more time.
  LaunchError launch(const LaunchRequest& request, LaunchCounters* counters = nullptr,
                     LaunchDetail* detail = nullptr);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tcd::emu
