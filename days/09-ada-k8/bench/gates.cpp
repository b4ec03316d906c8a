#include "bench/bench.h"
#include "gates/result.h"
#include "harness/emulator_counters.h"
#include "harness/gate_gemm.h"

namespace day::bench {

using tcd::GateResult;
using tcd::GemmArguments;
using tcd::harness::Control;
using tcd::harness::GemmProblem;
using tcd::harness::Session;

namespace {

constexpr int kSmallK = 8 * 32;  // more k-tiles than any pipeline has stages

GemmProblem problem_of(const Configuration& configuration, const Size& size, int padding) {
  GemmProblem problem{size.m, size.n, size.k, padding, tcd::Order::kColumnMajor};
  problem.bias = problem.relu = configuration.instance->epilogue == Epilogue::kBiasRelu;
  problem.group = configuration.group;
  problem.fp16_sums = configuration.instance->accumulator == Accumulator::kF16;
  return problem;
}

template <typename Output>
std::vector<GateResult> check(const Session& session, const Configuration& configuration,
                              const GemmProblem& problem, Control control = Control::kNone) {
  const Instance& instance = *configuration.instance;
  const tcd::Tiling tiling = {
      instance.shape.cta_m, instance.shape.cta_n, instance.warps_m, instance.warps_n, true, true};
  const std::string type = sizeof(Output) == sizeof(float) ? ", D in f32" : "";
  return tcd::harness::check_gemm<Output>(
      configuration.text() + type, session.seed(), problem, instance.shape, tiling,
      [&](const GemmArguments<Output>& gemm) { launch(configuration, gemm); }, control);
}

// Records what failed; returns whether nothing did, and adds up what was compared.
bool record_failures(Session& session, std::vector<GateResult> gates, int64_t& checked) {
  bool passed = true;
  for (GateResult& gate : gates) {
    checked += gate.checked();
    if (!gate.passed()) passed = session.gate(std::move(gate));
  }
  return passed;
}

void read_counts(Row& row, uint64_t factor, uint64_t divisor) {
  const auto counters = tcd::harness::read_counters();
  const auto scaled = [&](const char* name) {
    const auto found = counters.find(name);
    return found == counters.end() ? 0 : found->second * factor / divisor;
  };
  row.ldmatrix = scaled("ldmatrix");
  row.ldmatrix_conflicts = scaled("ldmatrix_bank_conflicts");
  row.hmma = scaled("hmma");
  row.copy_wavefronts = scaled("cp_async_wavefronts");
}

// k-tiles of all CTAs: every count of the main loop is a multiple of it.
uint64_t cta_tiles(const Instance& instance, const Size& size) {
  return uint64_t(size.m / instance.shape.cta_m) * (size.n / instance.shape.cta_n) *
         (size.k / instance.shape.cta_k);
}

}  // namespace

std::string Configuration::text() const {
  return instance->text() + ", layout " + std::to_string(layout) + ", " + std::to_string(stages) +
         (stages == 1 ? " stage" : " stages") + ", group " + std::to_string(group);
}

bool gate_configuration(Session& session, const Configuration& configuration, const Size& size,
                        Row& row, Control control) {
  tcd::harness::reset_counters();
  bool passed = true;
  GemmProblem problem = problem_of(configuration, size, 0);
  if (control != Control::kNone) {
    problem = tcd::harness::shape_for_controls(problem, configuration.instance->shape);
  }
  for (GateResult& gate : check<__half>(session, configuration, problem, control)) {
    passed = session.gate(std::move(gate)) && passed;
  }
  read_counts(row, 1, 1);
  // The accumulators themselves, at full depth: rounding to half hides small errors.
  const auto& shape = configuration.instance->shape;
  const Size deep = {2 * shape.cta_m, shape.cta_n, size.k};
  for (GateResult& gate :
       check<float>(session, configuration, problem_of(configuration, deep, 8))) {
    passed = session.gate(std::move(gate)) && passed;
  }
  return passed;
}

bool gate_small(Session& session, Row& row) {
  const Instance& instance = *row.configuration.instance;
  const Size small = {2 * instance.shape.cta_m, 3 * instance.shape.cta_n, kSmallK};
  // Counted without padding: where a row starts decides how cp.async's writes fall into passes.
  const GemmProblem problem = problem_of(row.configuration, small, 0);
  const GemmProblem padded = problem_of(row.configuration, small, 8);
  int64_t checked = 0;
  tcd::harness::reset_counters();
  bool passed =
      record_failures(session, check<__half>(session, row.configuration, problem), checked);
  read_counts(row, cta_tiles(instance, row.size), cta_tiles(instance, small));
  passed =
      record_failures(session, check<float>(session, row.configuration, padded), checked) && passed;
  return passed &&
         session.gate(GateResult::pass(row.configuration.text() + " " + small.text(), checked,
                                       "passed (" + tcd::with_separators(checked) +
                                           " elements and guards, D in f16 and f32, bit for bit)"));
}

// The sum is rounded when it is stored between the kernels, and again at the end.
bool gate_unfused(Session& session, const Configuration& configuration, const Size& size) {
  GemmProblem problem = problem_of(configuration, size, 0);
  problem.bias = problem.relu = problem.separate = true;
  const Instance& instance = *configuration.instance;
  return tcd::harness::gate_gemm<__half>(
      session, configuration.text() + ", then bias + ReLU", problem, instance.shape, std::nullopt,
      [&](const GemmArguments<__half>& gemm) {
        launch(configuration, gemm);
        launch_bias_relu(gemm.d, gemm.ldd, gemm.m, gemm.n, gemm.bias);
      });
}

}  // namespace day::bench
