#include <fstream>
#include <nlohmann/json.hpp>

#include "bench/bench.h"
#include "harness/shared_memory.h"
#include "harness/usage.h"

namespace day::bench {

namespace {

constexpr const char* kHeader =
    "tile,mma,acc,epilogue,layout,stages,group,m,n,k,registers,spill_bytes,shared_bytes,ctas_per_"
    "sm,"
    "passed,ldmatrix,ldmatrix_bank_conflicts,hmma,cp_async_wavefronts,dram_model_bytes,median_ms,"
    "tflops,sm_clock_mhz,refused\n";

nlohmann::json to_json(const Row& row) {
  const Configuration& configuration = row.configuration;
  const Instance& instance = *configuration.instance;
  nlohmann::json json = {{"size", row.size.text()},
                         {"tile", instance.tile},
                         {"layout", configuration.layout},
                         {"stages", configuration.stages},
                         {"group", configuration.group},
                         {"unit", instance.unit()},
                         {"registers", row.resources.registers}};
  if (!row.refused.empty()) {
    json["refused"] = row.refused;
    return json;
  }
  json["ctas_per_sm"] = row.resources.ctas_per_sm;
  if (row.resources.spill_bytes) json["spill_bytes"] = *row.resources.spill_bytes;
  if (row.hmma > 0) {
    json["hmma"] = row.hmma;
    json["ldmatrix"] = row.ldmatrix;
    json["ldmatrix_bank_conflicts"] = row.ldmatrix_conflicts;
    json["cp_async_wavefronts"] = row.copy_wavefronts;
  }
  if (row.dram_model_bytes > 0) json["dram_model_bytes"] = row.dram_model_bytes;
  if (row.tflops > 0) {
    json["median_ms"] = row.median_ms;
    json["tflops"] = row.tflops;
    json["sm_clock_mhz"] = row.clock_mhz;
  }
  return json;
}

// 0 stands for "not counted" or "not timed" in memory, and for nothing in the file.
template <typename Number>
std::string cell(Number value) {
  return value == 0 ? "" : std::to_string(value);
}

std::string to_csv(const Row& row) {
  const Configuration& configuration = row.configuration;
  const Instance& instance = *configuration.instance;
  const bool ran = row.refused.empty();
  const auto& spills = row.resources.spill_bytes;
  const std::string cells[] = {std::to_string(instance.tile),
                               instance.mma == Mma::kK8 ? "k8" : "k16",
                               instance.accumulator == Accumulator::kF32 ? "f32" : "f16",
                               instance.epilogue == Epilogue::kNone ? "none" : "bias_relu",
                               std::to_string(configuration.layout),
                               std::to_string(configuration.stages),
                               std::to_string(configuration.group),
                               std::to_string(row.size.m),
                               std::to_string(row.size.n),
                               std::to_string(row.size.k),
                               std::to_string(row.resources.registers),
                               spills ? std::to_string(*spills) : "",
                               std::to_string(row.resources.dynamic_shared_bytes),
                               std::to_string(row.resources.ctas_per_sm),
                               ran ? (row.passed ? "yes" : "no") : "",
                               cell(row.ldmatrix),
                               row.hmma > 0 ? std::to_string(row.ldmatrix_conflicts) : "",
                               cell(row.hmma),
                               cell(row.copy_wavefronts),
                               cell(row.dram_model_bytes),
                               cell(row.median_ms),
                               cell(row.tflops),
                               cell(row.clock_mhz)};
  std::string line;
  for (const std::string& text : cells) line += text + ",";
  return line + (ran ? "" : "\"" + row.refused + "\"") + "\n";
}

}  // namespace

tcd::harness::KernelResources resources_of(const Configuration& configuration) {
  const Instance& instance = *configuration.instance;
  const size_t bytes = instance.shared_bytes(configuration.layout, configuration.stages);
  tcd::allow_shared_memory(instance.shape.kernel, static_cast<int>(bytes));
  return tcd::harness::query_resources(instance.shape.kernel,
                                       configuration.text() + " (" + instance.unit() + ".cu)",
                                       instance.shape.threads, bytes);
}

void write_csv(const std::string& path, const std::vector<Row>& rows) {
  if (path.empty()) return;
  std::ofstream file(path);
  file << kHeader;
  for (const Row& row : rows) file << to_csv(row);
  file.close();
  if (!file) throw tcd::harness::UsageError("--csv " + path + ": cannot write that file");
}

void record_rows(tcd::harness::Session& session, const std::vector<Row>& rows) {
  for (const Row& row : rows) session.derive(row.configuration.text(), to_json(row));
}

}  // namespace day::bench
