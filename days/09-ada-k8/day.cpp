// Day 09: the full Ada kernel, gated and counted; with any of the bench's options, the bench.
#include "day.h"

#include <CLI/CLI.hpp>

#include "bench/bench.h"
#include "harness/gemm_day.h"

namespace {

using tcd::harness::GemmProblem;
using tcd::harness::Session;
using Findings = std::vector<tcd::harness::GemmDay::Findings>;

const tcd::harness::DayInfo kInfo = {
    "09", "Ada kernel", "four warps of 64×64 and two m16n8k8 a step, and the bench around them",
    80};

std::vector<GemmProblem> shapes() {
  constexpr auto kB = tcd::Order::kColumnMajor;
  std::vector<GemmProblem> shapes = {
      {1, 1, 8, 0, kB},       {128, 128, 32, 0, kB},  {127, 129, 40, 8, kB},
      {300, 1, 72, 16, kB},   {257, 130, 488, 8, kB}, {384, 256, 160, 8, kB},
      {640, 128, 128, 0, kB}, {24, 1000, 56, 8, kB},  {128, 128, 1032, 0, kB}};
  for (GemmProblem& shape : shapes) shape.group = 2;
  return shapes;
}

// One launch: 8 ldmatrix.x4 feed 64 mma, whatever the size.
void judge_counts(Session& session, const std::map<std::string, uint64_t>& counted) {
  const char* text =
      "a CTA's k-tile is 64 ldmatrix and 512 mma, all m16n8k8: a third fewer loads, twice the mma";
  if (counted.empty()) {
    session.predict_unanswered(2, text, "counted on the emulated device");
    return;
  }
  session.predict(2, text,
                  counted.at("hmma") == counted.at("hmma_m16n8k8") &&
                      counted.at("ldmatrix") * 8 == counted.at("hmma") &&
                      counted.at("ldmatrix_bank_conflicts") == 0);
}

}  // namespace

int main(int argc, char** argv) {
  if (!day::bench::bench_options_in(argc, argv).empty()) {
    return day::bench::run_bench(argc, argv, kInfo);
  }
  tcd::harness::GemmDay gemm;
  gemm.info = kInfo;
  gemm.variants = day::variants();
  gemm.shapes = shapes();
  gemm.step_m = gemm.step_n = 1;
  gemm.step_k = 8;
  day::bench::Options for_help;
  gemm.add_options = [&](CLI::App& app) {
    day::bench::add_options(*app.add_option_group("Bench", "Any of these runs the bench"),
                            for_help);
  };
  gemm.after = [](Session& session, const Findings& findings) {
    constexpr int kSize = 4096;
    day::bench::show_identity(session, {kSize, kSize, kSize}, day::bench::Mma::kK8,
                              day::bench::Accumulator::kF32);
    day::show_registers(session);
    day::show_layouts(session, kSize, kSize, kSize);
    day::bench::show_accuracy(session, day::bench::Mma::kK8);
    session.section("The predictions");
    bool passed = true;
    for (const auto& found : findings) passed = passed && found.passed;
    session.predict(1, "every bit is right on nine shapes, FP16 and FP32 output", passed);
    judge_counts(session, findings.front().counters);
    const auto& resources = findings.front().resources;
    session.predict(
        3,
        "more than 128 registers, none spilled, and still two CTAs an SM (" +
            std::to_string(resources.registers) + ")",
        resources.registers > 128 && resources.spill_bytes == 0 && resources.ctas_per_sm == 2);
    day::judge_registers(session);
    day::judge_accuracy(session);
    day::judge_times(session, kSize, kSize, kSize);
  };
  return tcd::harness::run_gemm_day(argc, argv, gemm);
}
