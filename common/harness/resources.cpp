#include "harness/resources.h"

#include <cuda_runtime_api.h>
#include <cxxabi.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/cuda_error.h"
#include "harness/ptxas_lines.h"

namespace tcd::harness {

namespace {

std::string demangle(const char* name) {
  int status = 0;
  char* text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string result = status == 0 ? text : name;
  std::free(text);
  return result;
}

std::optional<int> spill_bytes_of(const void* function, int binary_version, size_t frame_bytes) {
  const char* mangled = nullptr;
  if (cudaFuncGetName(&mangled, function) != cudaSuccess || !mangled) {
    cudaGetLastError();
    return std::nullopt;
  }
  std::error_code no_link;
  auto lines_path = std::filesystem::read_symlink("/proc/self/exe", no_link);
  lines_path += ".ptxas";
  std::ifstream lines(lines_path);
  auto entry = find_ptxas_line(lines, demangle(mangled), "sm_" + std::to_string(binary_version));
  // PTX compiled by the driver has no line, but spills live in the frame: no frame, no spills.
  if (!entry) return frame_bytes == 0 ? std::optional(0) : std::nullopt;
  return entry->spill_store_bytes + entry->spill_load_bytes;
}

}  // namespace

KernelResources query_resources(const void* function, std::string short_name, int threads,
                                size_t dynamic_shared_bytes) {
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, function), "cudaFuncGetAttributes");
  KernelResources resources;
  resources.kernel = std::move(short_name);
  resources.registers = attributes.numRegs;
  resources.static_shared_bytes = attributes.sharedSizeBytes;
  resources.dynamic_shared_bytes = dynamic_shared_bytes;
  resources.frame_bytes = attributes.localSizeBytes;
  resources.spill_bytes = spill_bytes_of(function, attributes.binaryVersion, resources.frame_bytes);
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resources.ctas_per_sm, function, threads,
                                                      dynamic_shared_bytes),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return resources;
}

std::string KernelResources::line() const {
  std::string text = kernel + ": " + std::to_string(registers) + " registers, " +
                     std::to_string(static_shared_bytes + dynamic_shared_bytes) +
                     " bytes shared, " + std::to_string(frame_bytes) + " bytes frame, ";
  text += spill_bytes ? std::to_string(*spill_bytes) + " bytes spilled, "
                      : "spills unknown (no .ptxas file beside the executable), ";
  return text + std::to_string(ctas_per_sm) + (ctas_per_sm == 1 ? " CTA/SM" : " CTAs/SM");
}

void to_json(nlohmann::json& json, const KernelResources& resources) {
  json = {{"kernel", resources.kernel},
          {"registers", resources.registers},
          {"static_shared_bytes", resources.static_shared_bytes},
          {"dynamic_shared_bytes", resources.dynamic_shared_bytes},
          {"frame_bytes", resources.frame_bytes},
          {"ctas_per_sm", resources.ctas_per_sm}};
  json["spill_bytes"] =
      resources.spill_bytes ? nlohmann::json(*resources.spill_bytes) : nlohmann::json(nullptr);
}

}  // namespace tcd::harness
