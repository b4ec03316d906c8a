// The gates of today's and yesterday's matmul, what each asked of shared memory, and their times.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "day.h"
#include "gates/inputs.h"
#include "harness/device_buffer.h"
#include "harness/emulator_counters.h"
#include "harness/gate_gemm.h"
#include "harness/memory_need.h"

namespace day {

namespace {

using tcd::harness::DeviceBuffer;
using tcd::harness::GemmProblem;
using Counters = std::map<std::string, uint64_t>;
using Launch = void (*)(const GemmArguments&);

// 64×64 CTA tile, 4×2 warps of 16×32; blockIdx.x counts column tiles.
constexpr tcd::Tiling kTiling = {64, 64, 4, 2, true, true};
constexpr int kWarps = 8, kMmaK = 8;

struct Judged {
  bool exact = false;
  Counters counters;  // of this one launch; empty on a card
};

Judged gate_and_count(Session& session, const std::string& name, const GemmProblem& problem,
                      const tcd::GemmShape& shape, Launch launch, Control control) {
  tcd::harness::reset_counters();
  Judged judged;
  judged.exact =
      tcd::harness::gate_gemm<float>(session, name, problem, shape, kTiling, launch, control);
  judged.counters = tcd::harness::read_counters();
  if (!judged.counters.empty()) {
    session.derive(name + " " + problem.text(), nlohmann::json(judged.counters));
  }
  return judged;
}

// One tile, one k-tile, many, M ≠ N ≠ K, skinny both ways, padded rows. One line when all passed.
bool gate_shapes(Session& session) {
  const std::vector<GemmProblem> shapes = {{64, 64, 32, 0},    {64, 64, 256, 8},
                                           {64, 448, 96, 16},  {512, 64, 64, 8},
                                           {256, 192, 128, 0}, {128, 320, 224, 24}};
  int64_t checked = 0;
  bool passed = true;
  for (const GemmProblem& problem : shapes) {
    for (auto& gate : tcd::harness::check_gemm<float>("ldmatrix", session.seed(), problem,
                                                      kGemmShape, kTiling, launch_gemm)) {
      checked += gate.checked();
      if (!gate.passed()) passed = session.gate(std::move(gate));
    }
  }
  if (!passed) return false;
  return session.gate(tcd::GateResult::pass("ldmatrix on 6 more shapes", checked));
}

// A warp makes one step of k = 8 for each four mma: the unit in which loads are counted.
uint64_t steps(const GemmProblem& problem) {
  return uint64_t(problem.m / kTiling.cta_m) * (problem.n / kTiling.cta_n) * kWarps *
         (problem.k / kMmaK);
}

std::string per_step(uint64_t count, const GemmProblem& problem) {
  char text[64];
  std::snprintf(text, sizeof text, "%s (%g a step)",
                tcd::with_separators(static_cast<int64_t>(count)).c_str(),
                static_cast<double>(count) / static_cast<double>(steps(problem)));
  return text;
}

// Prints both columns and says whether they are what the page predicts: 12 loads against 2, 12
// wavefronts against 6, no conflict in either.
struct Counted {
  bool loads, conflicts;
};
Counted compare_counts(Session& session, const GemmProblem& problem, const Counters& scalar,
                       const Counters& today) {
  const auto line = [&](const char* what, uint64_t before, uint64_t after) {
    session.say(std::string(what) + ": scalar " + per_step(before, problem) + ", ldmatrix " +
                per_step(after, problem));
  };
  session.say("at " + problem.text() + ", " +
              tcd::with_separators(static_cast<int64_t>(steps(problem))) +
              " steps of k = 8 by one warp:");
  line("  fragment loads", scalar.at("shared_loads"), today.at("ldmatrix"));
  line("  their wavefronts", scalar.at("shared_load_wavefronts"), today.at("ldmatrix_wavefronts"));
  line("  bank conflicts", scalar.at("shared_load_bank_conflicts"),
       today.at("ldmatrix_bank_conflicts"));
  line("  warp instructions", scalar.at("warp_instructions"), today.at("warp_instructions"));
  return {.loads = scalar.at("shared_loads") == 12 * steps(problem) && scalar.at("ldmatrix") == 0 &&
                   today.at("ldmatrix") == 2 * steps(problem) && today.at("shared_loads") == 0,
          .conflicts = scalar.at("shared_load_bank_conflicts") == 0 &&
                       today.at("ldmatrix_bank_conflicts") == 0 &&
                       scalar.at("shared_load_wavefronts") == 12 * steps(problem) &&
                       today.at("ldmatrix_wavefronts") == 6 * steps(problem)};
}

// Times on random data: exact inputs draw less power and flatter a kernel.
void time_both(Session& session, int n) {
  const DeviceBuffer<uint16_t> a(tcd::random_for_timing(tcd::row_major(n, n), session.seed()).bits);
  const DeviceBuffer<uint16_t> b(
      tcd::random_for_timing(tcd::row_major(n, n), session.seed() + 1).bits);
  DeviceBuffer<float> d(size_t(n) * n);
  const GemmArguments gemm = {n, n,        n, a.as<__half>(), n, b.as<__half>(),
                              n, d.data(), n, nullptr,        1};
  const double flop = 2.0 * n * n * n;
  const auto timings = tcd::harness::time_launches(
      {{"ldmatrix", flop, [&] { launch_gemm(gemm); }},
       {"scalar loads (Day 01)", flop, [&] { launch_scalar_gemm(gemm); }}});
  for (const auto& timing : timings) session.timing(timing);
  const double ratio = timings[1].median_ms / timings[0].median_ms;
  char text[96];
  std::snprintf(text, sizeof text, "ldmatrix beats the scalar loads (%.3f times as fast)", ratio);
  session.predict(7, text, ratio > 1);
}

}  // namespace

void require_memory_for(int n) {
  const uint64_t elements = uint64_t(n) * n;
  // A and B in FP16, D in FP32; the host adds references.
  tcd::harness::require_memory("--n " + std::to_string(n), elements * 8, elements * 40);
}

void gate_matmuls(Session& session, int n, Control control) {
  session.section("The matmul, n = " + std::to_string(n));
  const GemmProblem edge = {192, 128, 96, 8}, square = {n, n, n};
  const GemmProblem problem =
      control == Control::kNone ? square : tcd::harness::shape_for_controls(square, kGemmShape);
  constexpr Control kNo = Control::kNone;
  const Judged small = gate_and_count(session, "ldmatrix", edge, kGemmShape, launch_gemm, kNo);
  const Judged small_scalar =
      gate_and_count(session, "scalar loads", edge, kScalarGemmShape, launch_scalar_gemm, kNo);
  const Judged full =
      gate_and_count(session, "ldmatrix", problem, kGemmShape, launch_gemm, control);
  const bool shapes = gate_shapes(session);
  session.predict(5, "the matmul matches its reference, every bit",
                  small.exact && full.exact && shapes);

  session.section("What it costs");
  const auto resources =
      tcd::harness::query_resources(kGemmShape.kernel, "ldmatrix", kGemmShape.threads);
  session.resources(resources);
  session.resources(tcd::harness::query_resources(kScalarGemmShape.kernel, "scalar loads (Day 01)",
                                                  kScalarGemmShape.threads));
  session.predict(6, "9,728 bytes of shared memory, as yesterday, and nothing spilled",
                  resources.static_shared_bytes == 9728 && resources.spill_bytes == 0);
  if (control != Control::kNone) return;

  const Judged scalar =
      gate_and_count(session, "scalar loads", problem, kScalarGemmShape, launch_scalar_gemm, kNo);
  const char* loads = "a step takes 2 loads where scalar loads take 12 (B: 1 where they take 8)";
  const char* conflicts = "no bank conflict in either; 6 wavefronts a step against 12";
  if (full.counters.empty()) {
    session.predict_unanswered(3, loads, "counted on the emulated device");
    session.predict_unanswered(4, conflicts, "counted on the emulated device");
  } else {
    const Counted at_edge = compare_counts(session, edge, small_scalar.counters, small.counters);
    const Counted at_n = compare_counts(session, problem, scalar.counters, full.counters);
    session.predict(3, loads, at_edge.loads && at_n.loads);
    session.predict(4, conflicts, at_edge.conflicts && at_n.conflicts);
  }

  const char* faster = "ldmatrix beats the scalar loads";
  if (session.emulated()) {
    session.predict_unanswered(7, faster, "the emulated device has no time of its own");
  } else if (full.exact && scalar.exact) {
    time_both(session, n);
  } else {
    session.predict_unanswered(7, faster, "only what passed its gate is timed");
  }
}

}  // namespace day
