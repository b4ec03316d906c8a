#include <nlohmann/json.hpp>

#include "bench/bench.h"
#include "harness/shared_memory.h"

namespace day::bench {

namespace {

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

}  // namespace

tcd::harness::KernelResources resources_of(const Configuration& configuration) {
  const Instance& instance = *configuration.instance;
  const size_t bytes = instance.shared_bytes(configuration.layout, configuration.stages);
  tcd::allow_shared_memory(instance.shape.kernel, static_cast<int>(bytes));
  return tcd::harness::query_resources(instance.shape.kernel,
                                       configuration.text() + " (" + instance.unit() + ".cu)",
                                       instance.shape.threads, bytes);
}

void record_rows(tcd::harness::Session& session, const std::vector<Row>& rows) {
  for (const Row& row : rows) session.derive(row.configuration.text(), to_json(row));
}

}  // namespace day::bench
