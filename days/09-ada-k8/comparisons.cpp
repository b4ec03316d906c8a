// What the bench's instances say without being timed: registers, spills, residency, conflicts, and
// what sums in FP16 cost.
#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "bench/random_run.h"
#include "day.h"

namespace day {

namespace {

using bench::Accumulator;
using bench::Instance;
using bench::Mma;
using tcd::harness::KernelResources;
using tcd::harness::Session;

constexpr int kLayout = 3, kStages = 3;

KernelResources resources_of(const Instance& instance) {
  return bench::resources_of({&instance, kLayout, kStages, 1});
}

// The plain instance of a tile with FP32 sums.
const Instance& f32_instance(int tile, Mma mma, bool no_minimum = false) {
  bench::Options options;
  options.tile = tile;
  options.mma = mma;
  options.no_minimum = no_minimum;
  return bench::instance_of(options);
}

int spilled(const KernelResources& resources) { return resources.spill_bytes.value_or(0); }

std::string cell(const KernelResources& resources) {
  std::string text = std::to_string(resources.registers);
  if (spilled(resources) > 0) text += " +" + std::to_string(spilled(resources)) + " B";
  return text + ", " + std::to_string(resources.ctas_per_sm);
}

}  // namespace

// One line a translation unit: each was compiled by itself, so the counts compare.
void show_registers(Session& session) {
  session.section("Registers (+ bytes spilled), CTAs an SM, by ptxas; 3 stages");
  std::map<std::string, std::string> lines;
  std::map<std::string, nlohmann::json> table;
  std::vector<std::string> order;
  for (const Instance& instance : bench::all_instances()) {
    std::string unit = instance.unit();
    if (unit == "no_minimum") unit += instance.mma == Mma::kK8 ? ", k8" : ", k16";
    if (!lines.contains(unit)) order.push_back(unit);
    const KernelResources found = resources_of(instance);
    const std::string tile = std::to_string(instance.tile);
    lines[unit] += "   tile " + tile + ": " + cell(found);
    table[unit]["tile" + tile] = found.registers;
    table[unit]["spilled" + tile] = spilled(found);
    table[unit]["ctas" + tile] = found.ctas_per_sm;
  }
  for (const std::string& unit : order) {
    char name[24];
    std::snprintf(name, sizeof name, "%-17s", unit.c_str());
    session.say(name + lines[unit]);
    session.derive("registers, " + unit, table[unit]);
  }
}

// Counts of the main loop are proportional to the k-tiles, so a few tiles are enough.
void show_layouts(Session& session, int m, int n, int k) {
  session.section("Four layouts of the tile");
  for (int layout = 0; layout < bench::kLayouts; ++layout) {
    bench::Row row;
    row.configuration = {&f32_instance(3, Mma::kK8), layout, kStages, 2};
    row.size = {m, n, k};
    bench::gate_small(session, row);
    if (row.hmma == 0) continue;
    session.say("at " + row.size.text() + ": " +
                tcd::with_separators(static_cast<int64_t>(row.ldmatrix)) +
                " ldmatrix, bank conflicts " +
                tcd::with_separators(static_cast<int64_t>(row.ldmatrix_conflicts)));
    session.derive("tile 3, k8, layout " + std::to_string(layout) + ", scaled",
                   {{"size", row.size.text()},
                    {"ldmatrix", row.ldmatrix},
                    {"ldmatrix_bank_conflicts", row.ldmatrix_conflicts},
                    {"cp_async_wavefronts", row.copy_wavefronts}});
  }
}

void judge_registers(Session& session) {
  const auto tight = resources_of(f32_instance(1, Mma::kK8));
  const auto free = resources_of(f32_instance(1, Mma::kK8, true));
  char text[200];
  std::snprintf(text, sizeof text,
                "k8 on eight warps spills or is alone on its SM (asked for two CTAs: %d registers, "
                "%d bytes spilled; not asked: %d registers, %d CTA an SM)",
                tight.registers, spilled(tight), free.registers, free.ctas_per_sm);
  session.predict(4, text, spilled(tight) > 0 && free.ctas_per_sm == 1);
  const auto wide = resources_of(f32_instance(4, Mma::kK8));
  std::snprintf(
      text, sizeof text,
      "256 sums a thread do not fit 255 registers: tile 4 spills (%d registers, %d bytes); "
      "besides these two no instance does",
      wide.registers, spilled(wide));
  bool others = false;
  for (const Instance& instance : bench::all_instances()) {
    const bool negative = instance.accumulator == Accumulator::kF32 &&
                          (instance.tile == 4 || (instance.tile == 1 && instance.mma == Mma::kK8));
    others = others || (!negative && spilled(resources_of(instance)) > 0);
  }
  session.predict(5, text, wide.registers == 255 && spilled(wide) > 0 && !others);
}

void judge_accuracy(Session& session) {
  const auto points = bench::measure_accuracy(Mma::kK8, session.seed());
  const bench::PowerLaw law = bench::fit(points);
  const auto& deep = *std::find_if(points.begin(), points.end(),
                                   [](const auto& point) { return point.k == 4096; });
  char text[200];
  std::snprintf(text, sizeof text,
                "sums in FP16 lose accuracy as √K (fitted K^%.2f); at K = 4096 they are %.0f times "
                "as wrong as FP32 sums",
                law.exponent, deep.f16 / deep.f32);
  session.predict(6, text, law.exponent > 0.4 && law.exponent < 0.6 && deep.f16 > 10 * deep.f32);
}

// Four warps of k8 against eight of k16, within one run.
void judge_times(Session& session, int m, int n, int k) {
  const char* text = "four warps of k8 are faster than eight of k16 on Ada, slower on Hopper";
  const int compute = session.device().compute;
  if (session.emulated() || (compute != 89 && compute != 90)) {
    session.predict_unanswered(7, text, "needs an Ada or Hopper card");
    return;
  }
  const bench::RandomRun run({m, n, k}, session.seed());
  const auto gemm = run.arguments();
  const bench::Configuration four = {&f32_instance(3, Mma::kK8), kLayout, 3, 2};
  const bench::Configuration eight = {&f32_instance(1, Mma::kK16), kLayout, 2, 2};
  const double flop = 2.0 * m * n * k;
  const auto timings =
      tcd::harness::time_launches({{four.text(), flop, [&] { bench::launch(four, gemm); }},
                                   {eight.text(), flop, [&] { bench::launch(eight, gemm); }}});
  for (const auto& timing : timings) session.timing(timing);
  const double ratio = timings[0].tflops() / timings[1].tflops();
  char line[160];
  std::snprintf(line, sizeof line, "%s (%.3f times as fast)", text, ratio);
  session.predict(7, line, compute == 89 ? ratio > 1 : ratio < 1);
}

}  // namespace day
