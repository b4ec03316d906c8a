// A CTA: warps that share memory and barriers; and the launch and worker it belongs to.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "checks/cta_order.h"
#include "checks/global_shadow.h"
#include "checks/report.h"
#include "checks/settings.h"
#include "checks/shared_shadow.h"
#include "counters/cache_model.h"
#include "counters/collect.h"
#include "counters/site.h"
#include "counters/timeline.h"
#include "machine/warp.h"

namespace tcd::emu {

inline constexpr int kBarriers = 16;

struct Barrier {
  uint32_t arrived_warps = 0;
  uint32_t threads = 0;  // expected, 0: the whole CTA (or nobody has arrived yet)
  uint32_t popc = 0;
  bool all = true, any = false;
};

enum class CtaState : uint8_t { kDone, kYielded, kWaiting };

struct Cta {
  Launch* launch = nullptr;
  Worker* worker = nullptr;
  uint64_t index = 0;
  uint32_t x = 0, y = 0, z = 0;
  std::vector<std::unique_ptr<Warp>> warps;
  std::vector<std::byte> shared_memory;
  std::unique_ptr<SharedShadow> shadow;  // null: no checks, or no shared memory
  std::byte* registers = nullptr;        // all warps' entry frames
  std::unique_ptr<std::byte[]> register_memory;
  CtaOrder order;  // among the CTAs of the launch
  Barrier barriers[kBarriers];
  std::string output;  // printf
  AccessTrace trace;   // empty unless the launch has a cache model
  uint64_t clock = 0;  // what %clock has been advanced by reading it

  void start(uint64_t cta_index);
  CtaState run(int64_t budget);
  // The whole warp has arrived. True: the barrier is complete and everybody has been released.
  bool arrive(Warp& warp, const Wait& wait);
  void lanes_exited();    // a barrier may be complete now
  void warps_may_meet();  // for GlobalShadow, in a kernel without fences

 private:
  bool complete(uint32_t id);
  void release(uint32_t id);
  [[noreturn]] void deadlock();
};

// One kernel execution, shared by all workers.
struct Launch {
  const Code* code = nullptr;
  const KernelInfo* info = nullptr;
  const Kernel* kernel = nullptr;
  const Profile* profile = nullptr;
  DeviceMemory::Impl* memory = nullptr;
  Dim3 grid, block;
  uint32_t threads_per_cta = 0, warps_per_cta = 0;
  uint32_t shared_bytes = 0, dynamic_shared_bytes = 0;
  std::vector<std::byte> params;
  uint64_t cta_count = 0;
  uint32_t slots = 0;  // access caches per worker
  uint64_t max_resident = 1;
  bool cooperative = false;
  bool is_detailed = false;            // count executions op by op
  std::unique_ptr<CacheModel> caches;  // null: not wanted
  std::unique_ptr<Timeline> timeline;  // of CTA 0; null: not wanted
  CheckSettings checks;
  std::unique_ptr<GlobalShadow> global;  // null: no checks, or nothing can race
  uint64_t grid_id = 0;

  std::atomic<uint64_t> next_cta{0};
  std::atomic<uint64_t> fault_cta{~uint64_t{0}};  // CTAs beyond it need not run
  std::mutex mutex;
  LaunchFault fault{Fault::kNone, {}};
  std::chrono::steady_clock::time_point deadline;
  bool has_deadline = false;
  // What the driver gives a cooperative grid: its size and a barrier. %envreg1 and 2 hold its
  // address, which cooperative_groups::this_grid() reads.
  struct GridWorkspace {
    uint32_t bytes = sizeof(GridWorkspace);
    uint32_t barrier = 0;
  };
  alignas(16) GridWorkspace grid_workspace;
  uint64_t next_output = 0;  // CTA whose printf text goes out next
  std::map<uint64_t, std::string> outputs;

  void report(uint64_t cta, const LaunchFault& fault);
  void finish_output(uint64_t cta, std::string text);
};

// One host thread's share of a launch.
struct Worker {
  Launch* launch = nullptr;
  LaunchCounters counters;
  std::vector<AccessCache> caches;
  std::vector<Site> sites;  // by MicroOp::slot
  ExecutedOps executed;     // empty unless the launch is detailed
  ReportLog reports;
  std::vector<std::unique_ptr<Cta>> active, idle;
  std::vector<std::byte> frame_image;
  std::map<const Code*, std::vector<Frame*>> free_frames;
  std::vector<std::unique_ptr<Frame>> frames;
  std::vector<std::unique_ptr<std::byte[]>> frame_memory;
  uint64_t frame_serial = 0;

  explicit Worker(Launch& launch);
  void run();
  Frame* new_frame(const Code& code);
};

// Fills constants, parameters and what is the same for every warp of the launch.
void fill_frame_image(const Launch& launch, const Code& code, std::byte* frame);
// Fills the rows that differ between CTAs and warps.
void fill_frame_specials(const Warp& warp, const Code& code, std::byte* frame, uint32_t local_base);

inline void Cta::warps_may_meet() {
  if (launch->global != nullptr && !launch->global->may_order()) order.fence();
}

inline std::byte* align64(std::byte* p) {
  return reinterpret_cast<std::byte*>((reinterpret_cast<uintptr_t>(p) + 63) & ~uintptr_t{63});
}

}  // namespace tcd::emu
