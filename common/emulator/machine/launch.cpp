// Device::launch: checks the configuration, fills what is the same for all CTAs, and hands the
// CTAs to host threads.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

#include "counters/collect.h"
#include "machine/cta.h"
#include "machine/device_impl.h"
#include "machine/float_environment.h"
#include "machine/memory.h"
#include "machine/program.h"
#include "tensor/mma.h"

namespace tcd::emu {
namespace {

// Instructions a CTA may run before its worker looks at the time and at other CTAs.
constexpr int64_t kCtaTurn = 1 << 20;

std::string dims(const Dim3& d) {
  return "(" + std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z) + ")";
}

LaunchError refuse(const std::string& why) { return {Fault::kInvalidConfiguration, why}; }

uint64_t resident_ctas(const Launch& launch) {
  const Profile& p = *launch.profile;
  uint64_t per_sm = static_cast<uint64_t>(p.ctas_per_sm);
  per_sm = std::min(per_sm, uint64_t(p.threads_per_sm) / (launch.warps_per_cta * kLanes));
  const uint64_t shared = launch.shared_bytes + p.shared_reserved_per_block;
  if (shared != 0) per_sm = std::min(per_sm, p.shared_per_sm / shared);
  return std::max<uint64_t>(per_sm, 1) * static_cast<uint64_t>(p.sm_count);
}

CacheShape cache_shape(const Launch& launch, uint64_t per_sm) {
  const Profile& p = *launch.profile;
  const auto sms = static_cast<uint32_t>(p.sm_count);
  if (per_sm == 0) per_sm = resident_ctas(launch) / sms;
  const uint64_t shared = per_sm * (uint64_t{launch.shared_bytes} + p.shared_reserved_per_block);
  const uint64_t unified = unified_l1_bytes(p);
  constexpr uint64_t kLeastL1 = 8 << 10;
  return {sms, per_sm * sms, std::max(unified - std::min(unified, shared), kLeastL1),
          effective_l2_bytes(p)};
}

LaunchError check(const LaunchRequest& r, const KernelInfo& info, const Profile& p) {
  const std::string kernel = "kernel " + demangle(info.name) + ": ";
  if (r.grid.count() == 0 || r.block.count() == 0) {
    return refuse(kernel + "grid " + dims(r.grid) + " and block " + dims(r.block) +
                  " must have no zero");
  }
  if (r.grid.x > 0x7fffffffu || r.grid.y > 65535 || r.grid.z > 65535) {
    return refuse(kernel + "grid " + dims(r.grid) + " is beyond (2147483647,65535,65535)");
  }
  const uint64_t threads = r.block.count();
  if (r.block.x > 1024 || r.block.y > 1024 || r.block.z > 64 ||
      threads > static_cast<uint64_t>(p.threads_per_block)) {
    return refuse(kernel + "block " + dims(r.block) + " has " + std::to_string(threads) +
                  " threads; " + std::string(p.device_name) + " allows " +
                  std::to_string(p.threads_per_block) + ", and (1024,1024,64) by dimension");
  }
  if (info.max_threads != 0 && threads > info.max_threads) {
    return refuse(kernel + "block " + dims(r.block) +
                  " has more threads than its "
                  "__launch_bounds__ of " +
                  std::to_string(info.max_threads));
  }
  const auto& q = info.required_threads;
  if (q[0] != 0 &&
      (r.block.x != q[0] || r.block.y != std::max(q[1], 1u) || r.block.z != std::max(q[2], 1u))) {
    return refuse(kernel + "block " + dims(r.block) + " is not the one it was compiled for");
  }
  const uint64_t shared = uint64_t{info.static_shared_bytes} + r.dynamic_shared_bytes;
  if (shared > p.shared_per_block_optin) {
    return refuse(kernel + std::to_string(shared) + " bytes of shared memory a CTA; " +
                  std::string(p.device_name) + " has " + std::to_string(p.shared_per_block_optin));
  }
  if (r.params.size() < info.param_bytes) {
    return refuse(kernel + "parameter block of " + std::to_string(r.params.size()) +
                  " bytes, but the kernel takes " + std::to_string(info.param_bytes));
  }
  return {};
}

// Known only when all CTAs have run. Of a kernel that was stopped it is not known which had.
void add_races(Launch& launch, ReportLog& log) {
  const std::vector<CheckReport> races = launch.global->races();
  if (launch.checks.mode == CheckMode::kStop && !races.empty()) {
    launch.fault = {Fault::kCheck, text_of(launch, races.front())};
    return;
  }
  for (const CheckReport& race : races) log.add(race);
}

}  // namespace

LaunchCounters& LaunchCounters::operator+=(const LaunchCounters& o) {
  warp_instructions += o.warp_instructions;
  hmma_m16n8k8 += o.hmma_m16n8k8;
  hmma_m16n8k16 += o.hmma_m16n8k16;
  mma_bf16 += o.mma_bf16;
  mma_tf32 += o.mma_tf32;
  mma_fp8 += o.mma_fp8;
  mma_f64 += o.mma_f64;
  mma_integer += o.mma_integer;
  mma_proven += o.mma_proven;
  wmma += o.wmma;
  ldmatrix += o.ldmatrix;
  global_loads += o.global_loads;
  global_stores += o.global_stores;
  shared_loads += o.shared_loads;
  shared_stores += o.shared_stores;
  atomics += o.atomics;
  async_copies += o.async_copies;
  barriers += o.barriers;
  check_reports += o.check_reports;
  for (size_t k = 0; k < memory.size(); ++k) memory[k].add(o.memory[k], 1);
  return *this;
}

void Launch::report(uint64_t cta, const LaunchFault& what) {
  const std::lock_guard lock(mutex);
  if (cta < fault_cta) {  // the first CTA in grid order speaks, whatever the threads did
    fault_cta = cta;
    fault = what;
  }
}

void Launch::finish_output(uint64_t cta, std::string text) {
  const std::lock_guard lock(mutex);
  if (cta != next_output) {
    outputs[cta] = std::move(text);
    return;
  }
  std::fwrite(text.data(), 1, text.size(), stdout);
  ++next_output;
  for (auto it = outputs.begin(); it != outputs.end() && it->first == next_output;
       it = outputs.erase(it)) {
    std::fwrite(it->second.data(), 1, it->second.size(), stdout);
    ++next_output;
  }
}

Worker::Worker(Launch& l)
    : launch(&l),
      caches(l.slots, AccessCache{~uint64_t{0}, ~uint64_t{0}, 0, nullptr}),
      sites(l.slots) {
  frame_image.resize(l.code->frame_bytes);
  fill_frame_image(l, *l.code, frame_image.data());
}

Frame* Worker::new_frame(const Code& code) {
  auto& free = free_frames[&code];
  Frame* f = nullptr;
  if (!free.empty()) {
    f = free.back();
    free.pop_back();
  } else {
    frames.push_back(std::make_unique<Frame>());
    f = frames.back().get();
    f->code = &code;
    frame_memory.push_back(std::make_unique<std::byte[]>(code.frame_bytes + 64));
    f->regs = align64(frame_memory.back().get());
  }
  fill_frame_image(*launch, code, f->regs);
  return f;
}

constexpr int kBriefNaps = 16;
constexpr std::chrono::microseconds kNap{50};

// Runs CTAs until there are none. A CTA that neither ends nor fails within its turn may be waiting
// for one that has not started, so others get started beside it, as many as the device would hold.
void Worker::run() {
  const DefaultFloatEnvironment environment;
  const uint64_t proven_before = proven_multiplications();
  size_t turn = 0;
  size_t waiting = 0;  // CTAs in a row that waited for something outside
  int naps = 0;
  for (;;) {
    if (active.empty() || (turn >= active.size() && active.size() < launch->max_resident)) {
      turn = 0;
      const uint64_t index = launch->next_cta.fetch_add(1);
      if (index < launch->cta_count && index < launch->fault_cta) {
        if (idle.empty()) {
          idle.push_back(std::make_unique<Cta>());
          idle.back()->launch = launch;
          idle.back()->worker = this;
        }
        active.push_back(std::move(idle.back()));
        idle.pop_back();
        active.back()->start(index);
        turn = active.size() - 1;
      } else if (active.empty()) {
        counters.mma_proven = proven_multiplications() - proven_before;
        return;
      }
    }
    if (turn >= active.size()) turn = 0;
    Cta& cta = *active[turn];
    CtaState state = CtaState::kDone;
    try {
      // Before every turn, a CTA's first included: a grid of CTAs that end within one must stop
      // too.
      if (launch->has_deadline && std::chrono::steady_clock::now() > launch->deadline) {
        timeout(cta);
      }
      if (cta.index <= launch->fault_cta) state = cta.run(kCtaTurn);
    } catch (const LaunchFault& fault) {
      launch->report(cta.index, fault);
    }
    waiting = state == CtaState::kWaiting ? waiting + 1 : 0;
    if (state != CtaState::kWaiting) naps = 0;
    if (waiting >= active.size() + 1) {  // all wait for another host thread's CTAs
      if (++naps < kBriefNaps) {
        std::this_thread::yield();
      } else {
        std::this_thread::sleep_for(kNap);  // it may not even be running: the machine is busy
      }
      waiting = 0;
    }
    if (state == CtaState::kDone || cta.index >= launch->fault_cta) {
      if (launch->caches) launch->caches->deliver(cta.index, cta.trace);
      launch->finish_output(cta.index, std::move(cta.output));
      cta.output.clear();
      idle.push_back(std::move(active[turn]));
      active.erase(active.begin() + static_cast<std::ptrdiff_t>(turn));
    } else {
      ++turn;
    }
  }
}

Device::Device(const Profile& profile, int threads, double timeout_seconds)
    : impl_(std::make_unique<Impl>(profile, threads, timeout_seconds)) {}
Device::~Device() = default;
const Profile& Device::profile() const { return impl_->profile; }
DeviceMemory& Device::memory() { return impl_->memory; }
void Device::set_checks(const CheckSettings& settings) { impl_->checks = settings; }

Device::Impl::Impl(const Profile& p, int thread_count, double timeout)
    : profile(p), memory(p.memory_bytes), threads(thread_count), timeout_seconds(timeout) {
  if (threads <= 0) threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

std::unique_ptr<Program> Device::load(const ptx::Module& module) {
  return std::make_unique<Program>(
      std::make_unique<Program::Impl>(module, impl_->memory.impl(), impl_->profile));
}

LaunchError Device::launch(const LaunchRequest& request, LaunchCounters* counters,
                           LaunchDetail* detail) {
  const DefaultFloatEnvironment environment;  // a kernel is decoded when it is first launched
  const Kernel& kernel = *request.kernel;
  const Profile& p = impl_->profile;
  if (LaunchError e = check(request, kernel.info, p); e.fault != Fault::kNone) return e;
  Launch launch;
  try {
    launch.code = &kernel.decode();
  } catch (const DecodeError& e) {
    return {e.fault, e.message};
  }
  launch.info = &kernel.info;
  launch.kernel = &kernel;
  launch.profile = &p;
  launch.memory = &impl_->memory.impl();
  launch.grid = request.grid;
  launch.block = request.block;
  launch.threads_per_cta = static_cast<uint32_t>(request.block.count());
  launch.warps_per_cta = (launch.threads_per_cta + kLanes - 1) / kLanes;
  launch.dynamic_shared_bytes = request.dynamic_shared_bytes;
  launch.shared_bytes = kernel.info.static_shared_bytes + request.dynamic_shared_bytes;
  launch.params.assign(request.params.begin(), request.params.end());
  launch.params.resize(launch.params.size() + 16);
  launch.cta_count = request.grid.count();
  launch.slots = kernel.slots;
  launch.cooperative = request.cooperative;
  launch.is_detailed = detail != nullptr;
  launch.checks = impl_->checks;
  launch.memory->prepare_launch(launch.checks.global());
  launch.grid_id = ++impl_->launches;
  const uint64_t resident = resident_ctas(launch);
  if (request.cooperative && launch.cta_count > resident) {
    return refuse("kernel " + demangle(kernel.info.name) + ": a cooperative grid of " +
                  std::to_string(launch.cta_count) + " CTAs, but " + std::string(p.device_name) +
                  " holds " + std::to_string(resident) + " at a time");
  }
  if (impl_->timeout_seconds > 0) {
    launch.has_deadline = true;
    launch.deadline = std::chrono::steady_clock::now() +
                      std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                          std::chrono::duration<double>(impl_->timeout_seconds));
  }
  if (detail != nullptr && request.model_caches) {
    launch.caches = std::make_unique<CacheModel>(cache_shape(launch, request.resident_per_sm),
                                                 launch.cta_count, launch.slots);
  }
  if (detail != nullptr && request.record_timeline) {
    launch.timeline = std::make_unique<Timeline>(launch.warps_per_cta);
  }
  const auto count = static_cast<uint64_t>(impl_->threads);
  const uint64_t threads = std::min(count, launch.cta_count);
  launch.max_resident = (resident + threads - 1) / threads;

  if (launch.checks.global_races()) launch.global = GlobalShadow::of(launch, kernel.written());
  if (launch.cooperative) {
    impl_->memory.map_host(&launch.grid_workspace, sizeof launch.grid_workspace);
  }
  std::vector<std::unique_ptr<Worker>> workers;
  for (uint64_t i = 0; i < threads; ++i) workers.push_back(std::make_unique<Worker>(launch));
  {
    std::vector<std::jthread> helpers;
    for (uint64_t i = 1; i < threads; ++i) {
      helpers.emplace_back([&launch, w = workers[i].get()] { w->run(); });
    }
    workers[0]->run();
  }
  if (launch.cooperative) impl_->memory.unmap_host(&launch.grid_workspace);
  for (auto& [cta, text] : launch.outputs) std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
  std::vector<TotalsByKind> sites(launch.slots);
  for (const auto& w : workers) merge_sites(w->sites, sites);
  ReportLog log;
  for (const auto& w : workers) log.merge(w->reports);
  if (launch.global != nullptr && launch.fault.fault == Fault::kNone) {
    add_races(launch, log);
  }
  std::vector<LaunchError::Report> reports = log.texts(launch);
  if (counters != nullptr) {
    *counters = {};
    for (const auto& w : workers) *counters += w->counters;
    add_totals(sites, *counters);
    counters->check_reports = reports.size();
  }
  if (detail != nullptr) {
    ExecutedOps executed;
    for (const auto& w : workers) merge_executed(w->executed, executed);
    const bool modelled = launch.caches && launch.caches->is_complete();
    *detail = detail_of(kernel, sites, executed, modelled ? launch.caches.get() : nullptr);
    if (launch.timeline != nullptr) detail->timeline = launch.timeline->runs();
  }
  return {launch.fault.fault, launch.fault.message, std::move(reports)};
}

}  // namespace tcd::emu
