// What a kernel costs: registers, shared memory, spills, and how many CTAs an SM holds.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace tcd::harness {

struct KernelResources {
  std::string kernel;  // short name, for people
  int registers = 0;   // per thread
  size_t static_shared_bytes = 0;
  size_t dynamic_shared_bytes = 0;
  size_t frame_bytes = 0;  // stack frame per thread
  // Bytes ptxas spilled (stores + loads). The executable does not say: they come from the lines the
  // build kept beside it. Without that file they are known only when there is no frame at all.
  std::optional<int> spill_bytes;
  int ctas_per_sm = 0;

  std::string line() const;
};

// `function` is the kernel's host symbol, `threads` its CTA size. Throws CudaError.
KernelResources query_resources(const void* function, std::string short_name, int threads,
                                size_t dynamic_shared_bytes = 0);

void to_json(nlohmann::json& json, const KernelResources& resources);

}  // namespace tcd::harness
