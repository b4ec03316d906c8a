// All configurations, gated and counted; on a card timed.
#include <algorithm>
#include <cstdio>

#include "bench/csv.h"
#include "bench/random_run.h"
#include "harness/dram_model.h"

namespace day::bench {

namespace {

using tcd::harness::Session;

constexpr int kGroups[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32};
constexpr int kSweepSamples = 10;

Row row_of(const Session& session, const Options& options, const Configuration& configuration) {
  Row row;
  row.configuration = configuration;
  row.size = size_of(options, *configuration.instance);
  row.refused = why_not(*configuration.instance, configuration.layout, configuration.stages,
                        session.device());
  if (row.refused.empty()) row.resources = resources_of(configuration);
  return row;
}

// In turn and interleaved: on a power-capped card a kernel's clock depends on its neighbours. So
// does the clock of one batch on that of the one before: all have the same reference kernel among
// them.
void time_passed(Session& session, const Options& options, const std::vector<Row*>& timed) {
  const RandomRun run(timed.front()->size, session.seed());
  const auto gemm = run.arguments();
  const double flop = 2.0 * run.size.m * run.size.n * run.size.k;
  Options plain = options;
  plain.tile = 3;
  const Configuration reference = {&instance_of(plain), 3, 3, 2};
  std::vector<tcd::harness::Candidate> candidates = {
      {"reference", flop, [&] { launch(reference, gemm); }}};
  for (const Row* row : timed) {
    candidates.push_back(
        {row->configuration.text(), flop, [&gemm, row] { launch(row->configuration, gemm); }});
  }
  const int samples = std::min(options.iters, kSweepSamples);
  const auto timings =
      tcd::harness::time_launches(candidates, samples, std::min(options.warmup, 3));
  for (size_t i = 0; i < timed.size(); ++i) {
    const auto& timing = timings[i + 1];
    session.timing(timing);
    timed[i]->median_ms = timing.median_ms;
    timed[i]->tflops = timing.tflops();
    timed[i]->clock_mhz = timing.sm_clock_mhz;
    timed[i]->reference_ms = timings.front().median_ms;
  }
}

// The rows from `first` on get their times together.
void time_rows(Session& session, const Options& options, std::vector<Row>& rows, size_t first,
               Csv& csv) {
  if (session.emulated()) return;  // each was added after its gates
  std::vector<Row*> timed;
  for (size_t i = first; i < rows.size(); ++i) {
    if (rows[i].passed) timed.push_back(&rows[i]);
  }
  if (!timed.empty()) time_passed(session, options, timed);
  for (size_t i = first; i < rows.size(); ++i) csv.add(rows[i]);
}

void say_no_times(Session& session) {
  if (!session.emulated()) return;
  session.say("times: none here; they need a card. Counts are scaled to the full size");
}

std::string rate_text(const Row& row) {
  char text[32] = "-";
  if (row.tflops > 0) std::snprintf(text, sizeof text, "%.2f", row.tflops);
  return text;
}

void show_sweep(Session& session, const std::vector<Row>& rows) {
  session.section("The sweep");
  session.say(
      "tile layout stages group   shared KiB   registers   CTAs/SM   ldmatrix conflicts   TFLOP/s");
  for (const Row& row : rows) {
    const Configuration& c = row.configuration;
    const double kib = static_cast<double>(c.instance->shared_bytes(c.layout, c.stages)) / 1024;
    char line[160];
    if (!row.refused.empty()) {
      std::snprintf(line, sizeof line, "%4d %6d %6d %5d   %10.0f   refused: %s", c.instance->tile,
                    c.layout, c.stages, c.group, kib, row.refused.c_str());
    } else {
      std::snprintf(
          line, sizeof line, "%4d %6d %6d %5d   %10.0f   %9d   %7d   %18s   %7s", c.instance->tile,
          c.layout, c.stages, c.group, kib, row.resources.registers, row.resources.ctas_per_sm,
          row.hmma > 0 ? tcd::with_separators(static_cast<int64_t>(row.ldmatrix_conflicts)).c_str()
                       : "-",
          rate_text(row).c_str());
    }
    session.say(line);
  }
}

uint64_t model_bytes(const Session& session, const Row& row) {
  const auto& shape = row.configuration.instance->shape;
  const cudaDeviceProp& device = session.device().properties;
  tcd::harness::DramModelInput input;
  input.rows = row.size.m / shape.cta_m;
  input.columns = row.size.n / shape.cta_n;
  input.k_slices = row.size.k / shape.cta_k;
  input.a_slice_bytes = shape.cta_m * shape.cta_k * 2;
  input.b_slice_bytes = shape.cta_n * shape.cta_k * 2;
  input.resident = std::max(1, device.multiProcessorCount * row.resources.ctas_per_sm);
  input.l2_bytes = device.l2CacheSize;
  const uint32_t group = row.configuration.group;
  input.order = [&](uint64_t index) {
    return tcd::harness::grouped_tile(index, input.rows, input.columns, group);
  };
  return tcd::harness::model_dram_traffic(input).read_bytes;
}

}  // namespace

std::vector<Row> sweep(Session& session, const Options& options, Csv& csv) {
  std::vector<Row> rows;
  size_t there = 0;
  for (const Instance& instance : all_instances()) size_of(options, instance);  // before the work
  const std::vector<int> groups =
      options.groups.empty() ? std::vector<int>{options.group} : options.groups;
  session.section("Gates");
  for (int tile = 0; tile < kTiles; ++tile) {
    Options one = options;
    one.tile = tile;
    const Instance& instance = instance_of(one);
    for (int layout = 0; layout < kLayouts; ++layout) {
      const size_t first = rows.size();
      for (int stages = 1; stages <= kMostStages; ++stages) {
        for (const int group : groups) {
          Row row = row_of(session, one, {&instance, layout, stages, group});
          if (csv.has(row)) {
            ++there;
            continue;
          }
          if (row.refused.empty()) row.passed = gate_small(session, row);
          rows.push_back(std::move(row));
          if (session.emulated()) csv.add(rows.back());
        }
      }
      time_rows(session, options, rows, first, csv);
    }
  }
  say_no_times(session);
  if (there > 0) session.say(std::to_string(there) + " rows were in the file already");
  if (rows.empty()) {  // nothing was compared, and that is said: no gate, no failure
    session.not_run("the sweep", "the file has all of it");
    return rows;
  }
  show_sweep(session, rows);
  return rows;
}

std::vector<Row> group_sweep(Session& session, const Options& options, Csv& csv) {
  std::vector<Row> rows;
  const Instance& instance = instance_of(options);
  session.section("Gates");
  for (const int group : kGroups) {
    rows.push_back(row_of(session, options, {&instance, options.layout, options.stages, group}));
    Row& row = rows.back();
    if (!row.refused.empty()) throw tcd::harness::UsageError(row.refused);
    row.passed = gate_small(session, row);
    row.dram_model_bytes = model_bytes(session, row);
    if (session.emulated()) csv.add(row);
  }
  time_rows(session, options, rows, 0, csv);
  say_no_times(session);
  session.section("Tile rows walked together, " + rows.front().size.text());
  session.say("group   DRAM read of A and B, by model   TFLOP/s");
  for (const Row& row : rows) {
    char line[96];
    std::snprintf(line, sizeof line, "%5d   %26.1f MB   %7s", row.configuration.group,
                  static_cast<double>(row.dram_model_bytes) * 1e-6, rate_text(row).c_str());
    session.say(line);
  }
  return rows;
}

}  // namespace day::bench
