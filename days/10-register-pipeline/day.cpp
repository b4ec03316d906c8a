// Day 10: the register pipeline with both mma shapes, ahead and not: what it executes, what it
// costs in registers, and when it pays.
#include "day.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <tuple>

#include "harness/gemm_day.h"

namespace {

using tcd::GemmVariant;
using tcd::harness::KernelResources;
using tcd::harness::Session;
using Found = tcd::harness::GemmDay::Findings;
using Findings = std::vector<Found>;

int knob(const GemmVariant& variant, const std::string& name) {
  for (const auto& [knob, value] : variant.knobs) {
    if (knob == name) return value;
  }
  throw std::logic_error(variant.name + " has no knob " + name);
}

// Two instances that differ in nothing else.
struct Pair {
  int mma_k, stages;
  GemmVariant plain, ahead;
  std::string name() const {
    return (mma_k == 16 ? "k16, " : "two k8, ") + std::to_string(stages) + " stages";
  }
};

std::vector<Pair> pairs() {
  const std::vector<GemmVariant> all = day::variants();
  std::vector<Pair> pairs;
  for (const GemmVariant& plain : all) {
    for (const GemmVariant& ahead : all) {
      const bool differ = knob(plain, "ahead") == 0 && knob(ahead, "ahead") == 1;
      const auto same = [&](const char* name) { return knob(plain, name) == knob(ahead, name); };
      if (!differ || !same("mma_k") || !same("stages") || !same("epilogue")) continue;
      pairs.push_back({knob(plain, "mma_k"), knob(plain, "stages"), plain, ahead});
    }
  }
  return pairs;
}

void judge_counts(Session& session) {
  const char* step =
      "a k-step of a warp is 8 ldmatrix, none with a conflict, and 32 m16n8k16 or 64 m16n8k8";
  const char* same =
      "ahead executes not one ldmatrix, mma or cp.async more or less, and one barrier more a CTA";
  if (!session.emulated()) {
    session.predict_unanswered(2, step, "counted on the emulated device");
    session.predict_unanswered(3, same, "counted on the emulated device");
    return;
  }
  const std::vector<Pair> compared = pairs();
  bool step_held = !compared.empty(), same_held = step_held;
  for (const Pair& pair : compared) {
    const day::StepCounts plain = day::count_steps(pair.plain),
                          ahead = day::count_steps(pair.ahead);
    for (const day::StepCounts* counted : {&plain, &ahead}) {
      const auto& counters = counted->counters;
      const char* mma = pair.mma_k == 16 ? "hmma_m16n8k16" : "hmma_m16n8k8";
      const uint64_t each = pair.mma_k == 16 ? 32 : 64;
      step_held = step_held && counters.at("ldmatrix") == 8 * counted->warp_steps &&
                  counters.at("ldmatrix_bank_conflicts") == 0 &&
                  counters.at("hmma") == counters.at(mma) &&
                  counters.at(mma) == each * counted->warp_steps;
      session.derive((counted == &plain ? pair.plain : pair.ahead).name + ", a k-step of a warp",
                     {{"ldmatrix_a_step", counters.at("ldmatrix") / counted->warp_steps},
                      {"mma_a_step", counters.at("hmma") / counted->warp_steps},
                      {"barriers_a_warp", counters.at("barriers") / counted->warps},
                      {"instructions", counters.at("warp_instructions")}});
    }
    for (const char* name : {"ldmatrix", "hmma", "async_copies"}) {
      same_held = same_held && plain.counters.at(name) == ahead.counters.at(name);
    }
    // Counted by warps; the prologue's barrier is the one more.
    const uint64_t before = plain.counters.at("barriers"), after = ahead.counters.at("barriers");
    same_held = same_held && after == before + plain.warps;
    session.say(pair.name() + ": " + std::to_string(plain.counters.at("ldmatrix")) +
                " ldmatrix and " + std::to_string(plain.counters.at("hmma")) + " mma plain, " +
                std::to_string(ahead.counters.at("ldmatrix")) + " and " +
                std::to_string(ahead.counters.at("hmma")) + " ahead; barriers a warp " +
                std::to_string(before / plain.warps) + " and " +
                std::to_string(after / ahead.warps));
  }
  session.predict(2, step, step_held);
  session.predict(3, same, same_held);
}

KernelResources resources_of(const GemmVariant& variant) {
  return tcd::harness::query_resources(variant.shape.kernel, variant.name, variant.shape.threads,
                                       variant.dynamic_shared_bytes);
}

void judge_registers(Session& session) {
  constexpr int kSecondSet = 4 * 4 + 4 * 4;  // fragments of A, pairs of fragments of B
  const std::vector<Pair> compared = pairs();
  bool held = !compared.empty();
  for (const Pair& pair : compared) {
    const KernelResources plain = resources_of(pair.plain), ahead = resources_of(pair.ahead);
    session.say(pair.name() + ": " + std::to_string(plain.registers) + " registers plain, " +
                std::to_string(ahead.registers) + " ahead");
    session.derive(
        "registers, " + pair.name(),
        {{"plain", plain.registers}, {"ahead", ahead.registers}, {"ctas", ahead.ctas_per_sm}});
    held = held && ahead.registers > plain.registers &&
           ahead.registers <= plain.registers + kSecondSet && ahead.registers < 255 &&
           plain.spill_bytes == 0 && ahead.spill_bytes == 0;
    if (pair.stages == 3) held = held && plain.ctas_per_sm == 2 && ahead.ctas_per_sm == 2;
  }
  session.predict(
      4,
      "ahead takes up to 32 registers more, and fewer than 255; nothing is spilled, and "
      "three stages keep two CTAs an SM",
      held);
}

// How many times as fast as plain; 0 where one of them has no time.
double gain(const Findings& findings, const Pair& pair) {
  double plain = 0, ahead = 0;
  for (const Found& found : findings) {
    if (found.variant->name == pair.plain.name) plain = found.tflops;
    if (found.variant->name == pair.ahead.name) ahead = found.tflops;
  }
  return plain > 0 ? ahead / plain : 0;
}

void judge_times(Session& session, const Findings& findings) {
  const char* pays = "m16n8k16 with four stages is faster ahead";
  const char* costs = "two m16n8k8 are slower ahead";
  double k16 = 0, k8 = 0;
  for (const Pair& pair : pairs()) {
    const double found = gain(findings, pair);
    char line[96];
    std::snprintf(line, sizeof line, "%s: ahead %.3f times as fast", pair.name().c_str(), found);
    if (found > 0) session.say(line);
    if (pair.mma_k == 16 && pair.stages == 4) k16 = found;
    if (pair.mma_k == 8) k8 = found;
  }
  for (const auto& [number, text, ratio, faster] :
       {std::tuple{5, pays, k16, true}, {6, costs, k8, false}}) {
    if (ratio == 0) {
      session.predict_unanswered(number, text, "no times here");
      continue;
    }
    char line[96];
    std::snprintf(line, sizeof line, "%s (%.3f times as fast)", text, ratio);
    session.predict(number, line, faster ? ratio > 1 : ratio < 1);
  }
}

void judge(Session& session, const Findings& findings) {
  session.section("The predictions");
  const auto passed = [](const Found& found) { return found.passed || !found.fits; };
  session.predict(1,
                  "every bit is right on eight shapes, one of them a single k-tile, FP16 and FP32",
                  std::all_of(findings.begin(), findings.end(), passed));
  judge_counts(session);
  judge_registers(session);
  judge_times(session, findings);
}

}  // namespace

int main(int argc, char** argv) {
  tcd::harness::GemmDay gemm;
  gemm.info = {"10", "register pipeline",
               "the next k-step's fragments are loaded while this one is multiplied", 80};
  gemm.variants = day::variants();
  gemm.shapes = tcd::harness::full_tile_shapes();
  int group = 0;
  for (auto& shape : gemm.shapes) shape.group = group++ % 3 + 1;
  gemm.headline.group = 8;
  gemm.after = judge;
  return tcd::harness::run_gemm_day(argc, argv, gemm);
}
