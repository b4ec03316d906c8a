// Kernel launches: checked as a card checks them, then run to completion on the emulated device.
#include <cstring>
#include <vector>

#include "runtime/check_reports.h"
#include "runtime/counter_totals.h"
#include "runtime/device_state.h"
#include "runtime/handles.h"
#include "runtime/kernel_facts.h"
#include "runtime/launch_report.h"
#include "runtime/launch_trace.h"
#include "runtime/unseen_failures.h"
#include "runtime/work.h"

using namespace tcd::emu;
using namespace tcd::emu::runtime;

namespace {

// What a grid or block of a wrong size gets: CUDA 13 changed it (tests/recorded).
constexpr cudaError_t kWrongSize =
    CUDART_VERSION >= 13000 ? cudaErrorInvalidValue : cudaErrorInvalidConfiguration;
constexpr uint32_t kMaxGridYZ = 65535, kMaxBlockXY = 1024, kMaxBlockZ = 64;

struct PendingConfiguration {  // between <<<…>>> and the kernel's host stub
  dim3 grid, block;
  size_t dynamic_shared = 0;
  cudaStream_t stream = nullptr;
};
// No vector: destructors of static objects may launch, when the thread's own objects are gone.
struct PendingConfigurations {
  static constexpr size_t kMost = 32;  // `a<<<f(), g()>>>` with launches in f and g nests them
  PendingConfiguration at[kMost];
  size_t count;
};
thread_local constinit PendingConfigurations configurations{};
thread_local bool called_by_stub = false;  // it has just fetched its configuration

cudaError_t error_of(Fault fault) {
  switch (fault) {
    case Fault::kNone:
      return cudaSuccess;
    case Fault::kIllegalAddress:
      return cudaErrorIllegalAddress;
    case Fault::kMisalignedAddress:
      return cudaErrorMisalignedAddress;
    case Fault::kIllegalInstruction:
      return cudaErrorIllegalInstruction;
    case Fault::kUnsupported:
      return cudaErrorNotSupported;
    case Fault::kTrap:
    case Fault::kCheck:
      return cudaErrorLaunchFailure;
    case Fault::kAssert:
      return cudaErrorAssert;
    case Fault::kDeadlock:
      return cudaErrorLaunchTimeout;
    case Fault::kTimeout:
      return cudaErrorLaunchTimeout;
    case Fault::kInvalidConfiguration:
      return cudaErrorInvalidConfiguration;
  }
  return cudaErrorUnknown;
}

[[noreturn]] void refuse(const RegisteredKernel& kernel, cudaError_t code, const std::string& why) {
  throw ApiError(code, "launch of " + readable(kernel.name) + " refused: " + why);
}

std::string text_of(const dim3& d) {
  return "(" + std::to_string(d.x) + ", " + std::to_string(d.y) + ", " + std::to_string(d.z) + ")";
}

// Throws what a card would return for this configuration.
void check_configuration(const RegisteredKernel& kernel, const KernelFacts& facts, dim3 grid,
                         dim3 block, size_t dynamic_shared) {
  const Profile& gpu = profile();
  const uint64_t threads = uint64_t{block.x} * block.y * block.z;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.x > 0x7fffffffu || grid.y > kMaxGridYZ ||
      grid.z > kMaxGridYZ) {
    refuse(kernel, kWrongSize,
           "grid " + text_of(grid) + "; allowed are 1 to (2147483647, 65535, 65535)");
  }
  if (threads == 0 || block.x > kMaxBlockXY || block.y > kMaxBlockXY || block.z > kMaxBlockZ ||
      threads > static_cast<uint64_t>(gpu.threads_per_block)) {
    refuse(kernel, kWrongSize,
           "block " + text_of(block) + "; allowed are 1 to (1024, 1024, 64) and 1,024 threads");
  }
  if (dynamic_shared > facts.footprint.dynamic_shared_limit) {
    const uint32_t fixed = facts.footprint.static_shared;
    const std::string needed = std::to_string(dynamic_shared) + " bytes of dynamic shared memory" +
                               (fixed ? " beside " + std::to_string(fixed) + " static ones" : "");
    if (fixed + dynamic_shared > gpu.shared_per_block_optin) {
      refuse(kernel, cudaErrorInvalidValue,
             needed + "; a CTA on this device has at most " +
                 std::to_string(gpu.shared_per_block_optin));
    }
    refuse(kernel, cudaErrorInvalidValue,
           needed + "; it may use " + std::to_string(facts.footprint.dynamic_shared_limit) +
               " until cudaFuncSetAttribute(kernel, "
               "cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) allows more");
  }
  if (facts.footprint.max_threads != 0 && threads > facts.footprint.max_threads) {
    refuse(kernel, cudaErrorInvalidValue,
           std::to_string(threads) + " threads a CTA, its __launch_bounds__ say " +
               std::to_string(facts.footprint.max_threads));
  }
  if (threads > static_cast<uint64_t>(max_threads_per_cta(gpu, facts.footprint))) {
    refuse(kernel, cudaErrorLaunchOutOfResources,
           std::to_string(threads) + " threads of " + std::to_string(facts.footprint.registers) +
               " registers each; an SM has " + std::to_string(gpu.registers_per_sm));
  }
}

// A cooperative grid must be resident as a whole.
void check_cooperative(const RegisteredKernel& kernel, const KernelFacts& facts, dim3 grid,
                       dim3 block, size_t dynamic_shared) {
  const uint64_t ctas = uint64_t{grid.x} * grid.y * grid.z;
  const uint32_t threads = block.x * block.y * block.z;
  const int per_sm = ctas_per_sm(profile(), facts.footprint, threads, dynamic_shared);
  const uint64_t resident = static_cast<uint64_t>(per_sm) * profile().sm_count;
  if (ctas > resident) {
    refuse(kernel, cudaErrorCooperativeLaunchTooLarge,
           std::to_string(ctas) + " CTAs; at once fit " + std::to_string(resident) + " (" +
               std::to_string(per_sm) + " on each of " + std::to_string(profile().sm_count) +
               " SMs)");
  }
}

void pack_arguments(const RegisteredKernel& kernel, const KernelInfo& info, void** arguments,
                    KernelWork& work) {
  work.params.resize(info.param_bytes);
  for (size_t i = 0; i < info.params.size(); ++i) {
    if (arguments == nullptr || arguments[i] == nullptr) {
      refuse(kernel, cudaErrorInvalidValue, "argument " + std::to_string(i) + " is missing");
    }
    std::memcpy(work.params.data() + info.params[i].offset, arguments[i], info.params[i].size);
    work.params_at.push_back(info.params[i].offset);
  }
}

cudaError_t launch(const void* function, dim3 grid, dim3 block, void** arguments,
                   size_t dynamic_shared, cudaStream_t stream, bool cooperative = false) {
  return queue([&] {
    require_stream(stream);
    return submit(stream,
                  prepare_kernel(function, grid, block, arguments, dynamic_shared, cooperative));
  });
}

std::string name_of(const void* function) {
  const std::lock_guard lock(api_mutex());
  try {
    return readable(registry().kernel(function).name);
  } catch (const ApiError&) {
    return "a kernel that is not registered";
  }
}

// The compiler's code behind <<<…>>> drops what the launch returns.
cudaError_t launch_from_stub(const void* function, dim3 grid, dim3 block, void** arguments,
                             size_t dynamic_shared, cudaStream_t stream) {
  const bool dropped = std::exchange(called_by_stub, false);
  const cudaError_t error = launch(function, grid, block, arguments, dynamic_shared, stream);
  if (error != cudaSuccess && dropped && !error_state().is_lost()) {
    launch_refused_unseen(name_of(function), error);
  }
  return error;
}

// Attributes of cudaLaunchKernelExC: cooperative is honoured, hints are ignored, the rest refused.
bool is_cooperative(const cudaLaunchConfig_t& config) {
  bool cooperative = false;
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const cudaLaunchAttribute& attribute = config.attrs[i];
    switch (attribute.id) {
      case cudaLaunchAttributeIgnore:
      case cudaLaunchAttributeAccessPolicyWindow:
      case cudaLaunchAttributePriority:
      case cudaLaunchAttributeSynchronizationPolicy:
      case cudaLaunchAttributeProgrammaticStreamSerialization:
      case cudaLaunchAttributeMemSyncDomain:
      case cudaLaunchAttributeMemSyncDomainMap:
        break;
      case cudaLaunchAttributeCooperative:
        cooperative = attribute.val.cooperative != 0;
        break;
      case cudaLaunchAttributeClusterDimension:
        if (attribute.val.clusterDim.x * attribute.val.clusterDim.y * attribute.val.clusterDim.z ==
            1) {
          break;
        }
        [[fallthrough]];
      default:
        throw ApiError(cudaErrorNotSupported, "cudaLaunchKernelExC: launch attribute " +
                                                  std::to_string(attribute.id) +
                                                  " (clusters and others) is not emulated");
    }
  }
  return cooperative;
}

}  // namespace

KernelWork tcd::emu::runtime::prepare_kernel(const void* function, dim3 grid, dim3 block,
                                             void** arguments, size_t dynamic_shared,
                                             bool cooperative) {
  const RegisteredKernel& kernel = registry().kernel(function);
  const KernelFacts facts = facts_of(kernel);
  check_configuration(kernel, facts, grid, block, dynamic_shared);
  if (cooperative) check_cooperative(kernel, facts, grid, block, dynamic_shared);
  KernelWork work;
  work.function = function;
  work.grid = grid;
  work.block = block;
  work.dynamic_shared = dynamic_shared;
  work.cooperative = cooperative;
  pack_arguments(kernel, kernel_info(*facts.kernel), arguments, work);
  return work;
}

cudaError_t tcd::emu::runtime::perform_kernel(const KernelWork& work) {
  const RegisteredKernel& kernel = registry().kernel(work.function);
  const KernelFacts facts = facts_of(kernel);
  registry().load_managed();

  LaunchRequest request;
  request.kernel = facts.kernel;
  request.grid = {work.grid.x, work.grid.y, work.grid.z};
  request.block = {work.block.x, work.block.y, work.block.z};
  request.dynamic_shared_bytes = static_cast<uint32_t>(work.dynamic_shared);
  request.cooperative = work.cooperative;
  request.params = work.params;
  const bool report = report_wanted(), trace = trace_wanted();
  request.model_caches = report;
  request.record_timeline = trace;
  request.resident_per_sm = static_cast<uint64_t>(ctas_per_sm(
      profile(), facts.footprint, work.block.x * work.block.y * work.block.z, work.dynamic_shared));
  LaunchCounters counters;
  LaunchDetail detail;
  const LaunchError stopped =
      device().launch(request, &counters, report || trace ? &detail : nullptr);
  counters.check_reports = tell_reports(stopped.reports);
  add_to_totals(counters);
  if (trace) trace_launch(readable(kernel.name), detail);
  if (report) {
    report_launch({.kernel = readable(kernel.name),
                   .symbol = kernel.name,
                   .grid = request.grid,
                   .block = request.block,
                   .shared_bytes = facts.footprint.static_shared + request.dynamic_shared_bytes,
                   .stopped = stopped.fault != Fault::kNone,
                   .counters = counters,
                   .detail = std::move(detail)});
  }
  if (stopped.fault == Fault::kNone) return cudaSuccess;

  const std::string story = "kernel " + readable(kernel.name) + " was stopped\n" + stopped.message;
  complain(story);
  if (report) report_fault(story);
  const cudaError_t error = error_of(stopped.fault);
  if (stopped.fault == Fault::kInvalidConfiguration) return error;
  if (stopped.fault == Fault::kUnsupported) {  // ours, not the program's: say so at once
    error_state().fault_now(error);
    return error;
  }
  error_state().fault(error);
  kernel_stopped_unseen(readable(kernel.name), error);
  return cudaSuccess;
}

TCD_EXPORT unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t dynamic_shared,
                                                cudaStream_t stream) {
  if (configurations.count == PendingConfigurations::kMost)
    return 1;  // then the stub is not called
  configurations.at[configurations.count++] = {grid, block, dynamic_shared, stream};
  return 0;
}

TCD_EXPORT cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* dynamic_shared,
                                                  void* stream) {
  if (configurations.count == 0) return remember(cudaErrorMissingConfiguration);
  called_by_stub = true;
  const PendingConfiguration last = configurations.at[--configurations.count];
  *grid = last.grid;
  *block = last.block;
  *dynamic_shared = last.dynamic_shared;
  *static_cast<cudaStream_t*>(stream) = last.stream;
  return cudaSuccess;
}

// The compiler's host stub keeps the result in a static: it must not depend on a loaded module.
TCD_EXPORT cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  return host_only([&] {
    *kernel = reinterpret_cast<cudaKernel_t>(&registry().kernel(function));
    return cudaSuccess;
  });
}

cudaError_t cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  if (kernel == nullptr) return remember(cudaErrorInvalidValue);
  return __cudaGetKernel(kernel, function);
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t* function, const void* symbol) {
  if (function == nullptr) return remember(cudaErrorInvalidValue);
  return __cudaGetKernel(reinterpret_cast<cudaKernel_t*>(function), symbol);
}

TCD_EXPORT cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block,
                                          void** arguments, size_t dynamic_shared,
                                          cudaStream_t stream) {
  return launch_from_stub(kernel, grid, block, arguments, dynamic_shared, stream);
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             size_t dynamic_shared, cudaStream_t stream) {
  return launch_from_stub(function, grid, block, arguments, dynamic_shared, stream);
}

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block,
                                        void** arguments, size_t dynamic_shared,
                                        cudaStream_t stream) {
  return launch(function, grid, block, arguments, dynamic_shared, stream, true);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function,
                                void** arguments) {
  if (config == nullptr) return remember(cudaErrorInvalidValue);
  return queue([&] {
    require_stream(config->stream);
    return submit(config->stream,
                  prepare_kernel(function, config->gridDim, config->blockDim, arguments,
                                 config->dynamicSmemBytes, is_cooperative(*config)));
  });
}
