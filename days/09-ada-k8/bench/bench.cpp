#include "bench/bench.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "bench/combinations.h"
#include "bench/csv.h"
#include "bench/narrow.h"

namespace day::bench {

namespace {

using tcd::harness::Session;

void refuse_contradictions(const Options& options) {
  using tcd::harness::UsageError;
  if (options.unfused && options.accumulator == Accumulator::kF16) {
    throw UsageError("--unfused is for --acc f32: the separate kernel is the same for both");
  }
  if (options.unfused && options.epilogue == Epilogue::kBiasRelu) {
    throw UsageError("--unfused runs the plain kernel and then bias + ReLU: leave --bias-relu out");
  }
  if (options.unfused && options.no_minimum) {
    throw UsageError("--no-minimum was compiled without an epilogue to compare --unfused with");
  }
}

// The last columns of --csv. The names of cards have no comma.
std::string provenance_cells(const Session& session) {
  const nlohmann::json from = session.to_json().at("provenance");
  std::string cells;
  for (const char* name : {"device", "driver", "cuda", "date"}) {
    cells += (cells.empty() ? "" : ",") + from.value(name, std::string());
  }
  return cells;
}

std::vector<Row> run_one(Session& session, const Options& options) {
  const Instance& instance = instance_of(options);
  const tcd::harness::Control control = tcd::harness::parse_control(options.control);
  Row row;
  row.configuration = {&instance, options.layout, options.stages, options.group};
  row.size = size_of(options, instance);
  const std::string reason = why_not(instance, options.layout, options.stages, session.device());
  if (!reason.empty()) {
    throw tcd::harness::UsageError(row.configuration.text() + ": " + reason +
                                   "; choose fewer stages or a smaller tile");
  }
  session.section("What it costs");
  row.resources = resources_of(row.configuration);
  session.resources(row.resources);
  session.section("Gates");
  row.passed = gate_configuration(session, row.configuration, row.size, row, control);
  if (options.unfused) {
    row.passed = gate_unfused(session, row.configuration, row.size) && row.passed;
  }
  if (row.hmma > 0) {
    session.say("counted: " + tcd::with_separators(static_cast<int64_t>(row.hmma)) + " mma; " +
                tcd::with_separators(static_cast<int64_t>(row.ldmatrix)) +
                " ldmatrix, bank conflicts " +
                tcd::with_separators(static_cast<int64_t>(row.ldmatrix_conflicts)) +
                "; cp.async write wavefronts " +
                tcd::with_separators(static_cast<int64_t>(row.copy_wavefronts)));
  }
  show_identity(session, row.size, instance.mma, instance.accumulator);
  if (options.check) {
    check_cublas(session, row.configuration, row.size);
    show_accuracy(session, options.mma);
  }
  if (options.cpu > 0) {
    check_corner(session, row.configuration, row.size, options.cpu, control);
  }
  if (session.emulated()) {
    session.say("times: none here; they need a card");
  } else if (row.passed) {
    time_configuration(session, options, row);
  }
  return {row};
}

}  // namespace

int run_bench(int argc, char** argv, const tcd::harness::DayInfo& info) {
  Options options;
  options.given = bench_options_in(argc, argv);
  const auto add = [&](CLI::App& app) {
    add_options_of_the_day(app, options);
    add_options_of_the_day_only(app);
    add_options(app, options);
    app.callback([&app, &options] { refuse_ignored(app, options.given); });
  };
  return tcd::harness::run_day(argc, argv, info, add, [&](Session& session) {
    if (!options.narrow.empty()) return run_narrow(session, options);
    refuse_contradictions(options);
    Csv csv(options.csv, options.resume, provenance_cells(session));
    std::vector<Row> rows;
    if (options.sweep) {
      rows = sweep(session, options, csv);
    } else if (options.gsweep) {
      rows = group_sweep(session, options, csv);
    } else {
      rows = run_one(session, options);
      csv.add(rows.front());
    }
    record_rows(session, rows);
  });
}

}  // namespace day::bench
